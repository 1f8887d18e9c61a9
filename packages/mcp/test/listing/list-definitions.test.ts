import { ToolExecutor, ToolRegistry, type RegistryDiff } from "@toolweave/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { mcpSource } from "../../src/index.ts";
import { fixtureHttp } from "../support/fixture-server-http.ts";
import { oddServer, opened, executorOver, findTool } from "../support/open-source.ts";
import { libraryServer } from "../support/library-options.ts";

describe("the tools of a server", () => {
  it("have the server's name before their own, and cleaned names if needed", async () => {
    const source = opened(libraryServer);
    await source.ready;
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(
      [
        "add-book",
        "bind_book",
        "get_book",
        "leave",
        "lend_book",
        "move_shelf",
        "pay_fine",
        "read_book",
        "reorganise",
        "show_cover",
        "show_environment",
        "take_inventory",
      ].map((name) => `library__${name}`),
    );
    const digest: unknown = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(findTool(source, "library__take_inventory").spec.provenance).toEqual({
      adapter: "mcp",
      source: "library",
      origin: { tool: "take.inventory", program: digest, place: digest },
    });
  });

  it("have the server's titles and descriptions", async () => {
    const source = opened({ ...libraryServer, prefix: "books", timeoutMs: 5_000 });
    await source.ready;
    expect(findTool(source, "books__get_book").spec).toMatchObject({
      title: "Get a book",
      description: "Get a book by its number.",
      inputSchema: { type: "object", required: ["id"], $defs: { number: { minimum: 1 } } },
      outputSchema: { type: "object", required: ["id", "title"] },
      annotations: { readOnlyHint: true, openWorldHint: false },
      timeoutMs: 5_000,
    });
  });

  it("are the valid ones; the others are reported as problems", async () => {
    const source = opened(oddServer("names"));
    await source.ready;
    const names = source.tools().map(({ spec }) => spec.name);
    expect(names).toHaveLength(5);
    expect(names).toEqual(expect.arrayContaining(["as_task", "hints", "ok"]));
    expect(names.filter((name) => /^files_read_[a-z0-9]{7}$/.test(name))).toHaveLength(2);
    expect(source.problems.map(({ subject, message }) => `${subject}: ${message}`)).toEqual([
      'ok: The server lists "ok" twice; the first one is used.',
      "a tool without a name: The server lists a tool without a name.",
      "a tool without a name: The server lists a tool without a name.",
      'no_object: The definition is invalid: its inputSchema is of type "string"; it must be "object".',
      "no_schema: The definition is invalid: its inputSchema is not a JSON Schema object.",
      'elsewhere: The definition is invalid: its inputSchema refers to "https://x.test/a", which it does not contain; remote references are not fetched.',
    ]);
  });

  it("have no unknown annotations, and none of a wrong type", async () => {
    const source = opened(oddServer("names"));
    await source.ready;
    const { spec } = findTool(source, "hints");
    expect(spec.annotations).toEqual({ readOnlyHint: true, title: "Hints" });
    expect(spec.title).toBe("Hints");
    expect(spec.description).toBe("Hints: a tool of the MCP server odd, which has no description.");
  });

  it("have no invisible characters, and problems name those that had", async () => {
    const source = opened(oddServer("hidden"));
    await source.ready;
    const [add, greet, nothing] = ["add_ition", "greet", "nothing"].map(
      (name) => findTool(source, name).spec,
    );
    expect(add).toMatchObject({
      title: "Add",
      description: "Add. Now \uFFFD!",
      annotations: {},
      outputSchema: { description: "Sum." },
    });
    expect(add?.annotations).toEqual({});
    // Values are validated by the server's original schema.
    expect(add?.inputSchema).toEqual({
      type: "object",
      title: "Numbers",
      properties: {
        "a\u200B": { const: "\u200B", description: "First." },
        description: { type: "string", default: "\u200B", pattern: "^\u200B?$" },
        list: { type: "array", items: [{ title: "Item" }, { enum: ["\u00AD"] }] },
        ["__proto__"]: { $comment: "Seen." },
      },
      required: ["a\u200B"],
      allOf: [{ $ref: "#/$defs/x" }],
      $defs: { x: { description: "Definition.", examples: [{ title: "\u200B" }] } },
    });
    expect(Object.keys(add?.inputSchema["properties"] as object)).toContain("__proto__");
    expect(greet?.description).toMatch(/\u06CC\u200C\u062E.*👨\u200D👩\u200D👧 ✔\uFE0F\n\tdone$/s);
    expect(nothing?.description).toBe(
      "nothing: a tool of the MCP server odd, which has no description.",
    );
    const removed = ["add_ition", "nothing"].map((name) => ({
      subject: name,
      message: `Hidden or invalid characters were removed from the definition of the tool ${name}: check it before you trust it.`,
      severity: "warning",
    }));
    // Values stay, so that those of them are named with their place.
    const kept = {
      subject: "add_ition",
      message:
        'What the server says of the tool add_ition has hidden or invalid characters: "\\u200b". Read it before you trust it.',
      pointer: "/inputSchema/$defs/x/examples/0/title",
      severity: "warning",
    };
    const expected = [...removed, kept];
    expect(source.problems).toEqual(expected);
    // The server announces in a call that its tools have changed; they have not.
    const [tools, { problems }] = [source.tools(), source];
    await executorOver(source).execute({ id: "1", name: "still", arguments: {} });
    await vi.waitFor(() => expect(source.problems).not.toBe(problems), 60_000);
    expect(source.tools()).toBe(tools);
    expect(source.problems).toEqual(expected);
  });

  it("are called normally if they require tasks and the server does not support them", async () => {
    const source = opened(oddServer("names"));
    await source.ready;
    expect(findTool(source, "as_task")).toMatchObject({ availability: { status: "available" } });
    expect(findTool(source, "as_task").spec.execution).toBeUndefined();
  });

  it("are read from all pages", async () => {
    const source = opened(oddServer("pages"));
    await source.ready;
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(
      [0, 1, 2, 3, 4].map((page) => `page_${page}`),
    );
    expect(source.problems).toEqual([]);
  });

  it("are listed once if the pages repeat", async () => {
    const source = opened(oddServer("endless"));
    await source.ready;
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(["a", "b", "first"]);
    expect(source.problems).toMatchObject([{ subject: "tools/list", severity: "warning" }]);
  });

  it("are cut off after a thousand pages", async () => {
    const source = opened(oddServer("always"));
    await source.ready;
    expect(source.tools()).toHaveLength(1_000);
    expect(source.problems).toMatchObject([
      {
        subject: "tools/list",
        message: expect.stringContaining("after 1000 pages"),
        severity: "warning",
      },
    ]);
  });
});

describe.each(["legacy", "modern"] as const)("changes of a %s server's tools", (era) => {
  it("are one change of the registry, however often they are announced at once", async () => {
    const http = await fixtureHttp({ era });
    onTestFinished(() => http.close());
    const source = opened({ name: "fixture", url: http.url });
    const registry = new ToolRegistry([source]);
    await registry.ready;
    const changes: RegistryDiff[] = [];
    registry.onChange((change) => void changes.push(change));
    const call = { id: "1", name: "fixture__change", arguments: { what: "tools", times: 100 } };
    await new ToolExecutor({ registry, policy: "autonomous" }).execute(call);
    await vi.waitFor(
      () => expect(registry.get("fixture__changing")?.spec.description).toBe("Edition 100."),
      60_000,
    );
    expect(changes).toMatchObject([{ changed: ["fixture__changing"], added: [], removed: [] }]);
  });
});

describe("a change of the server's tools", () => {
  it("is notified once, and keeps the objects of unchanged tools", async () => {
    const source = opened(libraryServer);
    await source.ready;
    const before = source.tools();
    const shelf = findTool(source, "library__move_shelf");
    const received = vi.fn<() => void>();
    source.onChange(received);
    await executorOver(source).execute({ id: "1", name: "library__reorganise", arguments: {} });
    await vi.waitFor(() => expect(received).toHaveBeenCalledTimes(1), 60_000);
    expect(findTool(source, "library__move_shelf").spec.description).toBe(
      "Move a shelf, edition 1.",
    );
    expect(source.tools()).not.toBe(before);
    expect(source.tools().filter((tool) => !before.includes(tool))).toHaveLength(1);
    expect(source.tools()).not.toContain(shelf);
  });

  it("causes one list at a time, however often it is announced", async () => {
    const source = opened(oddServer("flood"));
    await source.ready;
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(["list_0", "still"]);
    const still = findTool(source, "still");
    await executorOver(source).execute({ id: "1", name: "still", arguments: {} });
    // The server numbers its lists: of 1,000 announcements at once few need one.
    const list = (): number => Number(source.tools()[0]?.spec.name.slice("list_".length));
    await vi.waitFor(() => expect(list()).toBeGreaterThan(0), 60_000);
    expect(list()).toBeLessThan(100);
    expect(findTool(source, "still")).toBe(still);
  });
});

describe("mcpSource", () => {
  it.each([
    [{ name: "a" }, "mcpSource: give one of command, url and client."],
    [{ name: "a", command: "a", url: "https://x.test" }, "mcpSource: give one of"],
    [{ name: "", command: "a" }, "mcpSource: give the server a name."],
    [{ name: "a", url: "ftp://x.test" }, "mcpSource: url takes an absolute URL"],
    [{ name: "a", url: "https://u:p@x.test" }, "mcpSource: url takes an absolute URL"],
    [
      { name: "a", command: "a", prefix: "1" },
      'mcpSource: prefix "1" is not valid at the beginning',
    ],
    [{ name: "a", command: "a", timeoutMs: -1 }, "mcpSource: timeoutMs is -1; use 0 or more."],
    [{ name: "a", command: "a", connect: "now" }, 'mcpSource: connect takes "eager" or "lazy".'],
    [{ name: "a", command: "a", headers: {} }, 'mcpSource: unknown option "headers".'],
    [{ name: "a", transport: {} }, 'unknown option "transport". Did you mean command or url?'],
  ])("refuses %j", (server, message) => {
    expect(() => mcpSource(server as never)).toThrow(message);
  });
});
