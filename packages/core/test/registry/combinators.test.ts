import { describe, expect, test } from "vitest";
import {
  defineTool,
  filter,
  hide,
  prefix,
  rename,
  ToolRegistry,
  toolsSource,
  type ToolSource,
} from "@toolweave/core";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { completed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const names = (source: { tools(): readonly { spec: { name: string } }[] }): string[] =>
  source.tools().map(({ spec }) => spec.name);
const files = (): TestSource =>
  new TestSource("files", [
    foreignTool("read_file"),
    foreignTool("write_file"),
    foreignTool("stat"),
  ]);

describe("prefix", () => {
  test("is added to every name", () => {
    expect(names(prefix(files(), "fs"))).toEqual(["fs__read_file", "fs__write_file", "fs__stat"]);
  });

  test("of a prefixed source is added in front", () => {
    expect(names(prefix(prefix(files(), "fs"), "host"))[0]).toBe("host__fs__read_file");
  });

  test("that cannot begin a name is refused", () => {
    expect(() => prefix(files(), "1st")).toThrow(/"1st" cannot be a prefix/);
  });

  test("does not read the schemas", () => {
    let read = 0;
    const lazy = foreignTool("lazy");
    Object.defineProperty(lazy.spec, "inputSchema", {
      enumerable: true,
      get: () => ((read += 1), { type: "object" }),
    });
    const [renamed] = prefix(new TestSource("lazy", [lazy]), "p").tools();
    expect(renamed?.spec.name).toBe("p__lazy");
    expect(read).toBe(0);
    expect(renamed?.spec.inputSchema).toEqual({ type: "object" });
  });

  test("does not change the tool's own code, checks and state", async () => {
    class Counter {
      readonly spec = foreignTool("count").spec;
      readonly outputValidation = "warning";
      count = 0;
      validate(): undefined {
        this.count += 1;
      }
      preflight(): [] {
        this.count += 1;
        return [];
      }
      invoke(): number {
        return ++this.count;
      }
    }
    const source = prefix(toolsSource("counters", [new Counter()]), "my");
    expect(source.tools()[0]?.outputValidation).toBe("warning");
    const executor = executorFor(source, { policy: "autonomous" });
    expect(completed(await executor.execute(call("my__count"))).result.value).toBe(3);
  });

  test("passes on whether a tool is available at that moment", async () => {
    let up = true;
    const source = prefix(
      new TestSource("x", [
        Object.defineProperty(foreignTool("now"), "availability", {
          get: () => (up ? { status: "available" } : { status: "unavailable", reason: "gone" }),
        }),
        foreignTool("always"),
      ]),
      "p",
    );
    const [now, always] = source.tools();
    expect(now?.availability).toEqual({ status: "available" });
    up = false;
    expect(now?.availability).toEqual({ status: "unavailable", reason: "gone" });
    expect(always?.availability).toEqual({ status: "available" });
  });
});

describe("rename", () => {
  test("gives some tools other names; the old ones are removed", () => {
    expect(names(rename(files(), { stat: "file_info" }))).toEqual([
      "read_file",
      "write_file",
      "file_info",
    ]);
  });

  test("changes the fingerprint with the name", () => {
    const source = new TestSource("x", [foreignTool("a", { fingerprint: "1" })]);
    expect(rename(source, { a: "b" }).tools()[0]?.fingerprint).not.toBe("1");
  });

  test("to an invalid name is quarantined, not called", () => {
    const registry = new ToolRegistry([tool("other")]);
    const source = new TestSource("files", [], { loading: true });
    registry.add(rename(source, { stat: "no name" }));
    source.set(foreignTool("stat"));
    expect(registry.size).toBe(1);
    expect(registry.problems[0]?.subject).toBe("no name");
  });
});

describe("a glob or name that matches no tool of the source is a warning with similar names:", () => {
  test.each<[what: string, source: () => ToolSource, message: string]>([
    [
      "hide",
      () => hide(files(), "stat", "wrte_*"),
      'hide "wrte_*" matches no tool of the source: did you mean write_file?',
    ],
    [
      "rename",
      () => rename(files(), { read_fil: "read" }),
      'rename "read_fil" matches no tool of the source: did you mean read_file?',
    ],
    [
      "nothing similar",
      () => hide(files(), "deploy"),
      'hide "deploy" matches no tool of the source: check the spelling.',
    ],
  ])("%s", (_, make, message) => {
    const source = make();
    const registry = new ToolRegistry([source]);
    expect(registry.problems).toEqual([
      { source: source.id, subject: source.id, message, severity: "warning" },
    ]);
    expect(registry.size).toBeGreaterThan(0);
  });

  test("none while the source is loading", () => {
    const source = new TestSource("files", [], { loading: true });
    expect(hide(source, "x").problems ?? []).toEqual([]);
  });
});

describe("filter and hide", () => {
  test("filter keeps the matching tools", () => {
    const source = filter(files(), ({ spec }) => spec.name.endsWith("_file"));
    expect(names(source)).toEqual(["read_file", "write_file"]);
  });

  test("hide removes the tools that its globs match", () => {
    expect(names(hide(files(), "write_*", "stat"))).toEqual(["read_file"]);
    expect(names(hide(files()))).toHaveLength(3);
  });
});

describe("every combinator", () => {
  test("keeps the source's id, problems and trust", () => {
    const source = new TestSource("files", [], { trusted: true });
    source.problems = [{ subject: "x", message: "y" }];
    const mapped = hide(prefix(source, "a"), "b");
    expect(mapped.id).toBe("files");
    expect(mapped.problems).toBe(source.problems);
    expect(mapped.trustAnnotations).toBe(true);
    expect(filter(files(), () => true).trustAnnotations).toBe(false);
  });

  test("returns the same tools while the source has the same, and follows its changes", () => {
    const source = files();
    const mapped = prefix(source, "fs");
    const [first] = mapped.tools();
    expect(mapped.tools()).toBe(mapped.tools());
    source.set(...source.tools(), foreignTool("more"));
    expect(mapped.tools()).toHaveLength(4);
    expect(mapped.tools()[0]).toBe(first);
  });

  test("emits changes, and closes its source", async () => {
    const source = files();
    const mapped = rename(source, {});
    let changes = 0;
    const stop = mapped.onChange(() => (changes += 1));
    source.set();
    stop();
    source.set();
    expect(changes).toBe(1);
    await mapped.close();
    await mapped[Symbol.asyncDispose]();
    expect(source.closed).toBe(2);
  });

  test("waits for the source", async () => {
    const source = new TestSource("slow", [], { loading: true });
    const registry = new ToolRegistry([prefix(source, "s")]);
    expect(registry.loading).toBe(true);
    source.load([foreignTool("a")]);
    await registry.ready;
    expect([...registry.toolset().names()]).toEqual(["s__a"]);
  });
});

describe("toolsSource", () => {
  test("is a trusted source of the host's own tools, for combinators", async () => {
    const list = [tool("a"), tool("b")];
    const source = toolsSource("mine", list);
    list.pop();
    await source.ready;
    expect(names(source)).toEqual(["a", "b"]);
    expect(source.trustAnnotations).toBe(true);
    expect(source.problems).toEqual([]);
    source.onChange(() => {})();
    await source.close();
    await source[Symbol.asyncDispose]();
  });

  test("keeps the host's functions the host's own: they run without approval", async () => {
    const add = defineTool({
      name: "add",
      description: "",
      input: { type: "object" },
      execute: () => 3,
    });
    const executor = executorFor(prefix(toolsSource("mine", [add]), "my"));
    expect(completed(await executor.execute(call("my__add"))).result.value).toBe(3);
  });
});
