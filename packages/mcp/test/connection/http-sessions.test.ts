import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry, type ToolOutcome, type ToolSource } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { httpLibrary, type HttpLibrary } from "../support/http-library.ts";
import { executorOver, opened } from "../support/open-source.ts";

let library: HttpLibrary;
const folder = mkdtempSync(join(tmpdir(), "toolweave-sessions-"));
beforeAll(async () => {
  library = await httpLibrary();
});
afterAll(async () => {
  await library.close();
  rmSync(folder, { recursive: true });
});

const readText = (outcome: ToolOutcome): string => {
  if (outcome.status === "interrupted") throw new Error("interrupted");
  const [block] = outcome.result.content;
  return block?.type === "text" ? block.text : "";
};

const listNames = (source: ToolSource): readonly string[] =>
  source.tools().map(({ spec }) => spec.name);

describe("a session that the server has lost", () => {
  it("is replaced, and the rejected request runs once", async () => {
    const source = opened({ name: "library", url: `${library.url}/sessions`, prefix: false });
    await source.ready;
    const executor = executorOver(source);
    const file = join(folder, "added");
    for (const round of [1, 2]) {
      library.sessions.forget();
      const titles = Array.from({ length: 8 }, (_, index) => `${round}.${index}`);
      const outcomes = await Promise.all(
        titles.map((title) =>
          executor.execute({ id: title, name: "add-book", arguments: { title, file } }),
        ),
      );
      expect(outcomes.map(readText)).toEqual(titles.map((title) => `Added ${title}.`));
      // All of them in one new session.
      expect(library.sessions.open).toBe(1);
    }
    const added = readFileSync(file, "utf8").trim().split("\n");
    expect(new Set(added).size).toBe(added.length);
    expect(added).toHaveLength(16);
    expect(source.tools()[0]?.availability?.status).toBe("available");
  });

  it("is replaced for a list too", async () => {
    const source = opened({ name: "library", url: `${library.url}/sessions`, prefix: false });
    await source.ready;
    const before = listNames(source);
    library.sessions.forget();
    await source.refresh();
    expect(before).toContain("get_book");
    expect(listNames(source)).toEqual(before);
  });
});

describe("a server over HTTP that disappears", () => {
  it("is reconnected to, and its tools stay", async () => {
    const own = await httpLibrary();
    try {
      const source = opened({ name: "library", url: own.url, prefix: false });
      await source.ready;
      const before = listNames(source);
      const executor = executorOver(source);
      const call = (): Promise<ToolOutcome> =>
        executor.execute({ id: "1", name: "get_book", arguments: { id: 1 } });
      await own.pause();
      expect(await call()).toMatchObject({
        status: "failed",
        error: {
          code: "unavailable",
          message: expect.stringMatching(/^The MCP server library cannot be reached: http:/),
        },
      });
      expect(listNames(source)).toEqual(before);
      await own.resume();
      await vi.waitFor(async () => expect(readText(await call())).toBe("Emma"), {
        timeout: 60_000,
      });
    } finally {
      await own.close();
    }
  });

  it("that is missing at the start is connected to later without a request", async () => {
    const own = await httpLibrary();
    await own.pause();
    const registry = new ToolRegistry([opened({ name: "library", url: own.url })]);
    try {
      await registry.ready;
      expect(registry.failedSources).toHaveLength(1);
      await own.resume();
      await vi.waitFor(() => expect(registry.size).toBeGreaterThan(0), { timeout: 60_000 });
      expect(registry.problems).toEqual([]);
    } finally {
      await own.close();
    }
  });
});

describe("callers with their own credentials", () => {
  it("MC30, MC31: never share a session, although the ids of their requests overlap", async () => {
    const from = library.headers.length;
    const source = opened({
      name: "library",
      url: `${library.url}/sessions`,
      prefix: false,
      auth: { bearer: ({ caller = "host" }) => `token-for-${caller}` },
    });
    await source.ready;
    // The server's data about its session is checked below; no token may leave the executor.
    const executor = new ToolExecutor({
      registry: new ToolRegistry([source]),
      policy: "autonomous",
    });
    const callers = ["ann", "bob", "cleo"];
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const id = callers[index % callers.length] as string;
        return executor.execute(
          { id: `${index}`, name: "get_book", arguments: { id: 1 } },
          { caller: { id } },
        );
      }),
    );
    expect(outcomes.map(readText)).toEqual(outcomes.map(() => "Emma"));
    const tokens = new Map<string, Set<string>>();
    for (const headers of library.headers.slice(from)) {
      const session = headers["mcp-session-id"];
      if (session === undefined) continue;
      const known = tokens.get(String(session)) ?? new Set();
      tokens.set(String(session), known.add(String(headers["authorization"])));
    }
    expect([...tokens.values()].map((each) => [...each].join()).sort()).toEqual(
      ["ann", "bob", "cleo", "host"].map((caller) => `Bearer token-for-${caller}`),
    );
    const open = library.sessions.open;
    await source.close();
    expect(library.sessions.open).toBe(open - 4);
  });
});
