import { describe, expect, it } from "vitest";
import { mcpSource, type McpServer } from "../../src/index.ts";
import { fixtureStdio } from "../support/fixture-server-options.ts";
import { oddServer, opened } from "../support/open-source.ts";

async function listed(
  more: Partial<McpServer>,
): Promise<{ names: string[]; problems: readonly object[] }> {
  const source = opened({ ...fixtureStdio, prefix: "fix", ...more } as McpServer);
  await source.ready;
  return { names: source.tools().map(({ spec }) => spec.name), problems: source.problems };
}

describe("include and exclude", () => {
  it("match the server's own names, and exclude takes precedence", async () => {
    expect(await listed({ include: ["ask_*", "ad?"], exclude: ["ask_[x]", "ask_f*"] })).toEqual({
      names: ["fix__add", "fix__ask_endlessly", "fix__ask_model", "fix__ask_roots", "fix__ask_url"],
      problems: [
        {
          subject: "fixture",
          message: 'exclude "ask_[x]" matches no tool of the server: check the spelling.',
          severity: "warning",
        },
      ],
    });
  });

  it("name similar tools for a glob without a match", async () => {
    expect(await listed({ exclude: ["ehco"] })).toMatchObject({
      problems: [{ message: 'exclude "ehco" matches no tool of the server: did you mean echo?' }],
    });
  });

  it("report globs without a match, and an empty list includes nothing", async () => {
    const { names, problems } = await listed({ include: ["nothing_*"] });
    expect(names).toEqual([]);
    expect(problems).toMatchObject([
      { message: expect.stringContaining('include "nothing_*" matches no tool') },
    ]);
    expect((await listed({ include: [] })).names).toEqual([]);
  });

  it("omit an invalid tool with its problem", async () => {
    const source = opened(oddServer("names", { include: ["ok", "hints"] }));
    await source.ready;
    expect(source.problems.filter(({ subject }) => subject.startsWith("no_"))).toEqual([]);
  });
});

describe("rename", () => {
  it("gives a tool another name after the prefix; the server is called by its own", async () => {
    const source = opened({ ...fixtureStdio, rename: { echo: "say_again", none: "x" } });
    await source.ready;
    const tool = source.tools().find(({ spec }) => spec.name === "fixture__say_again");
    const context = {
      signal: new AbortController().signal,
      progress() {},
      idempotencyKey: async () => "k",
    } as never;
    expect(await tool?.invoke({ text: "Hi" }, context)).toMatchObject({
      content: [{ text: "Hi" }],
    });
    expect(tool?.spec.provenance.origin).toMatchObject({ tool: "echo" });
    expect(source.tools().some(({ spec }) => spec.name === "fixture__echo")).toBe(false);
    expect(source.problems).toMatchObject([
      { message: 'rename "none" matches no tool of the server: check the spelling.' },
    ]);
  });

  it("can swap two names, and a name assigned to another tool is a problem of its owner", async () => {
    const swapped = await listed({
      include: ["echo", "add"],
      rename: { echo: "add", add: "echo" },
    });
    expect(swapped).toEqual({ names: ["fix__add", "fix__echo"], problems: [] });
    const taken = await listed({ include: ["echo", "add"], rename: { echo: "add" } });
    expect(taken).toEqual({
      names: ["fix__add"],
      problems: [
        {
          subject: "add",
          message:
            'Its name is assigned to the tool "echo" by rename: rename this one too, or exclude it.',
        },
      ],
    });
  });
});

describe("invalid options are rejected", () => {
  const cases: readonly [Partial<McpServer>, string][] = [
    [{ include: "a" as never }, 'include takes a list of names and globs: ["read_*"]'],
    [{ exclude: [1] as never }, 'exclude takes a list of names and globs: ["read_*"]'],
    [{ rename: [] as never }, 'rename takes an object: { "get-sum": "add" }'],
    [{ rename: { a: "no name" } }, 'rename["a"]: "no name" is not a valid tool name'],
    [{ rename: { a: "x", b: "x" } }, 'rename["b"]: another tool is renamed to x too'],
    [{ resources: "yes" as never }, "resources takes true or false"],
  ];
  it.each(cases)("%j", (more, message) => {
    expect(() => mcpSource({ ...fixtureStdio, ...more } as McpServer)).toThrow(
      expect.objectContaining({
        code: "invalid_configuration",
        message: expect.stringContaining(message),
      }),
    );
  });
});
