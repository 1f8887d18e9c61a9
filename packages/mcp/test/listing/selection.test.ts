import { describe, expect, it } from "vitest";
import { mcpSource, type McpServer } from "../../src/index.ts";
import { fixtureStdio } from "../support/fixture-server-options.ts";
import { oddServer, opened } from "../support/running.ts";

async function listed(
  more: Partial<McpServer>,
): Promise<{ names: string[]; problems: readonly object[] }> {
  const source = opened({ ...fixtureStdio, prefix: "fix", ...more } as McpServer);
  await source.ready;
  return { names: source.tools().map(({ spec }) => spec.name), problems: source.problems };
}

describe("include and exclude", () => {
  it("choose by the server's own names, exclude over include", async () => {
    expect(await listed({ include: ["ask_*", "ad?"], exclude: ["ask_[x]", "ask_f*"] })).toEqual({
      names: ["fix__add", "fix__ask_endlessly", "fix__ask_model", "fix__ask_roots", "fix__ask_url"],
      problems: [
        {
          subject: "fixture",
          message: 'exclude "ask_[x]" fits no tool of the server: look for a misspelt name.',
          severity: "warning",
        },
      ],
    });
  });

  it("say what fits nothing, and a list without anything includes nothing", async () => {
    const { names, problems } = await listed({ include: ["nothing_*"] });
    expect(names).toEqual([]);
    expect(problems).toMatchObject([
      { message: expect.stringContaining('include "nothing_*" fits no tool') },
    ]);
    expect((await listed({ include: [] })).names).toEqual([]);
  });

  it("leave out what could not be a tool, and its problem with it", async () => {
    const source = opened(oddServer("names", { include: ["ok", "hints"] }));
    await source.ready;
    expect(source.problems.filter(({ subject }) => subject.startsWith("no_"))).toEqual([]);
  });
});

describe("rename", () => {
  it("gives a tool another name, behind the prefix; the server is called by its own", async () => {
    const source = opened({ ...fixtureStdio, rename: { echo: "say_again", none: "x" } });
    await source.ready;
    const tool = source.tools().find(({ spec }) => spec.name === "fixture__say_again");
    const context = { signal: new AbortController().signal, progress() {} } as never;
    expect(await tool?.invoke({ text: "Hi" }, context)).toMatchObject({
      content: [{ text: "Hi" }],
    });
    expect(tool?.spec.provenance.origin).toMatchObject({ tool: "echo" });
    expect(source.tools().some(({ spec }) => spec.name === "fixture__echo")).toBe(false);
    expect(source.problems).toMatchObject([
      { message: 'rename "none" fits no tool of the server: look for a misspelt name.' },
    ]);
  });

  it("can swap two names, and a name that was given away is a problem of its owner's", async () => {
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
          message: 'Its name was given to the tool "echo": rename it, too, or exclude it.',
        },
      ],
    });
  });
});

describe("options that cannot be meant are refused", () => {
  const cases: readonly [Partial<McpServer>, string][] = [
    [{ include: "a" as never }, 'include takes a list of names and globs: ["read_*"]'],
    [{ exclude: [1] as never }, 'exclude takes a list of names and globs: ["read_*"]'],
    [{ rename: [] as never }, 'rename takes an object: { "get-sum": "add" }'],
    [{ rename: { a: "no name" } }, 'rename["a"]: "no name" cannot be a tool\'s name'],
    [{ rename: { a: "x", b: "x" } }, 'rename["b"]: another tool is called x, too'],
    [{ resources: "yes" as never }, "resources takes true or false"],
  ];
  it.each(cases)("%j", (more, message) => {
    expect(() => mcpSource({ ...fixtureStdio, ...more } as McpServer)).toThrow(
      expect.objectContaining({ code: "internal", message: expect.stringContaining(message) }),
    );
  });
});
