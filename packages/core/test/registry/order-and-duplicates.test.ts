import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { prefix, ToolError, ToolRegistry, toolsSource, type Tool } from "@toolweave/core";
import { foreignTool, tool } from "../support/executor-for.ts";
import { TestSource } from "../support/test-source.ts";

function thrown(action: () => unknown): ToolError {
  try {
    action();
  } catch (error) {
    if (ToolError.is(error)) return error;
  }
  throw new Error("no ToolError was thrown");
}

describe("the order", () => {
  test("is by name, independent of the order of addition", () => {
    const registry = new ToolRegistry([
      tool("b"),
      toolsSource("s", [tool("c"), tool("a")]),
      tool("B"),
    ]);
    expect([...registry.toolset().names()]).toEqual(["B", "a", "b", "c"]);
    expect(
      registry
        .toolset()
        .specs()
        .map(({ name }) => name),
    ).toEqual(["B", "a", "b", "c"]);
  });

  test("is the same for any order of the same tools", () => {
    const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,4}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 20 }), fc.nat(), (names, turn) => {
        const turned = names.map((_, at) => names[(at + turn) % names.length] as string);
        const listed = (names: readonly string[]): string[] => [
          ...new ToolRegistry(names.map((name) => foreignTool(name))).toolset().names(),
        ];
        expect(listed(turned)).toEqual(listed(names));
      }),
    );
  });
});

describe("the input of a registry", () => {
  test("is tools, sources, and nested lists of them", () => {
    const registry = new ToolRegistry([[tool("a"), [tool("b")]], toolsSource("s", [tool("c")])]);
    expect([...registry.toolset().names()]).toEqual(["a", "b", "c"]);
    expect(registry.size).toBe(3);
    expect(registry.get("b")?.spec.name).toBe("b");
    expect(registry.get("z")).toBe(undefined);
  });
});

describe("a duplicate at construction", () => {
  test("is an error that names both provenances and the prefix line to write", () => {
    const at = (source: string): Tool =>
      foreignTool("read", {
        spec: { provenance: { adapter: "mcp", source, origin: { tool: "read" } } },
      });
    const error = thrown(
      () =>
        new ToolRegistry([
          toolsSource("files", [at("files")]),
          toolsSource("https://mail.example.com/mcp", [at("mail")]),
        ]),
    );
    expect(error.code).toBe("invalid_configuration");
    expect(error.message).toContain('Two tools are named "read"');
    expect(error.message).toContain('mcp (files) {"tool":"read"}');
    expect(error.message).toContain("mcp (https://mail.example.com/mcp)");
    expect(error.message).toContain('prefix(source, "mail")');
  });

  test("among the host's own tools asks for another name", () => {
    expect(thrown(() => new ToolRegistry([tool("a"), tool("a")])).message).toContain(
      "give one of them another name",
    );
  });

  test("is resolved by the line in the error", () => {
    const mail = toolsSource("mail", [tool("read")]);
    const registry = new ToolRegistry([toolsSource("files", [tool("read")]), prefix(mail, "mail")]);
    expect([...registry.toolset().names()]).toEqual(["mail__read", "read"]);
  });

  test("adds nothing of the same list, and adds no listener", () => {
    const registry = new ToolRegistry([tool("a")]);
    const source = new TestSource("s", [foreignTool("a"), foreignTool("b")]);
    expect(() => registry.add(tool("c"), source)).toThrow(/named "a"/);
    expect([...registry.toolset().names()]).toEqual(["a"]);
    expect(registry.problems).toEqual([]);
    expect(source.listeners).toBe(0);
  });
});

describe("an invalid name", () => {
  test("is an error at construction", () => {
    expect(thrown(() => new ToolRegistry([foreignTool("no name")])).message).toMatch(
      /"no name" of host has no valid name/,
    );
  });

  test("is quarantined if it comes later, however long or strange", () => {
    const source = new TestSource("s");
    const registry = new ToolRegistry([source]);
    source.set(
      foreignTool("x".repeat(10_000)),
      foreignTool(undefined as never),
      foreignTool("fine"),
    );
    expect([...registry.toolset().names()]).toEqual(["fine"]);
    expect(registry.problems.map(({ source }) => source)).toEqual(["s", "s"]);
    expect(registry.problems[0]?.message.length).toBeLessThan(400);
  });
});

describe("a tool without annotations or provenance", () => {
  test("is quarantined: reading the toolset must not fail because of it", () => {
    const source = new TestSource("s");
    const registry = new ToolRegistry([source, tool("mine")]);
    source.set(
      foreignTool("a", { spec: { annotations: undefined as never } }),
      foreignTool("b", { spec: { provenance: null as never } }),
    );
    expect([...registry.toolset().names()]).toEqual(["mine"]);
    expect(registry.problems.map(({ subject }) => subject)).toEqual(["a", "b"]);
  });
});

describe("a duplicate that a source adds later", () => {
  test("is quarantined: the first keeps its name, the problem names its source, and the rest works", () => {
    const late = new TestSource("late", [], { loading: true });
    const first = tool("read");
    const registry = new ToolRegistry([first, late]);
    late.set(foreignTool("read"), foreignTool("write"));
    expect(registry.get("read")).toBe(first);
    expect([...registry.toolset().names()]).toEqual(["read", "write"]);
    expect(registry.problems).toEqual([
      {
        source: "late",
        subject: "read",
        message: expect.stringContaining('prefix(source, "late")'),
        nameTakenBy: "host",
      },
    ]);
  });

  test("within one source is quarantined, too", () => {
    const source = new TestSource("s");
    const registry = new ToolRegistry([source]);
    const first = foreignTool("a");
    source.set(first, foreignTool("a"));
    expect(registry.get("a")).toBe(first);
    expect(registry.problems).toHaveLength(1);
  });

  test("leaves quarantine when the other is removed", async () => {
    const late = new TestSource("late");
    const first = new TestSource("first", [foreignTool("read")]);
    const registry = new ToolRegistry([first, late]);
    const second = foreignTool("read");
    late.set(second);
    await registry.remove(first);
    expect(registry.get("read")).toBe(second);
    expect(registry.problems).toEqual([]);
  });

  // While sources load, their order decides, so that a restart results in the same tools whichever
  // answers first; afterwards a name stays with the source that has it.
  test("never takes the name from the current holder, whatever the order of the sources", async () => {
    const earlier = new TestSource("earlier");
    const holder = new TestSource("holder", [foreignTool("read")]);
    const registry = new ToolRegistry([earlier, holder]);
    await registry.ready;
    const held = registry.get("read");
    earlier.set(foreignTool("read"));
    expect(registry.get("read")).toBe(held);
  });
});

describe("10,000 tools", () => {
  test("are registered and named without reading a schema, and each is read once for a list", () => {
    let read = 0;
    const tools = Array.from({ length: 10_000 }, (_, index) => {
      const made = foreignTool(`tool_${index}`);
      Object.defineProperty(made.spec, "inputSchema", {
        enumerable: true,
        get: () => ((read += 1), { type: "object" }),
      });
      return made;
    });
    const source = new TestSource("many", tools);
    const registry = new ToolRegistry([source]);
    expect(Array.from(registry.toolset().names())).toHaveLength(10_000);
    source.set(...tools.slice(1));
    expect(registry.size).toBe(9999);
    expect(read).toBe(0);
    expect(registry.toolset().specs()).toHaveLength(9999);
    source.set(...tools);
    expect(registry.toolset().specs()).toHaveLength(10_000);
    expect(read).toBe(10_000);
  });
});
