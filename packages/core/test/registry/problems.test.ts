import { settled } from "@toolweave/test-support/fake-clock";
import { afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from "vitest";
import {
  prefix,
  ToolError,
  ToolExecutor,
  ToolRegistry,
  type RegistryProblem,
} from "@toolweave/core";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { failed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const unusable = foreignTool("bad", {
  spec: { inputSchema: { type: "object", properties: { a: { type: "strng" } } } },
});
const badText =
  'It is not listed: its input schema cannot be used: /properties/a/type is "strng"; use a type, or a list of ' +
  'types (did you mean "string"?). Correct the schema where the tool is made.';

const unreadable = foreignTool("bad");
Object.defineProperty(unreadable.spec, "inputSchema", {
  get() {
    throw new Error("its document is gone");
  },
});

let warn: MockInstance<typeof process.emitWarning>;
beforeEach(() => {
  warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

/** A registry of two sources, of which the first cannot be loaded. */
function halfLoaded(options?: ConstructorParameters<typeof ToolRegistry>[1]): ToolRegistry {
  const [down, up] = [
    new TestSource("down", [], { loading: true }),
    new TestSource("up", [foreignTool("works")]),
  ];
  const registry = new ToolRegistry([down, up], options);
  down.fail(new ToolError("unavailable", "down.example does not answer."));
  return registry;
}

describe("a tool whose schema cannot be used", () => {
  test.each([
    ["is not valid", unusable, badText],
    [
      "is no object",
      foreignTool("bad", { spec: { inputSchema: "{}" as never } }),
      'cannot be used: it is "{}", and no object.',
    ],
    ["cannot be read", unreadable, "its input schema cannot be used: its document is gone."],
  ])("because it %s is not listed, and named in problems", (_, bad, text) => {
    const registry = new ToolRegistry([new TestSource("mixed", [bad, foreignTool("good")])]);
    expect(registry.toolset().specs()).toEqual([expect.objectContaining({ name: "good" })]);
    expect(registry.problems).toEqual([
      { source: "mixed", subject: "bad", message: expect.stringContaining(text) },
    ]);
  });

  test("fails when it is called all the same, and the others work", async () => {
    const executor = executorFor(
      [new TestSource("mixed", [unusable, foreignTool("good")], { trusted: true })],
      { policy: "autonomous" },
    );
    const { error } = failed(await executor.execute(call("bad", { a: 1 })));
    expect([error.code, error.audience]).toEqual(["invalid_configuration", "host"]);
    expect((await executor.execute(call("good"))).status).toBe("completed");
  });
});

describe("registry.load", () => {
  test("resolves with the registry when there is no problem", async () => {
    const registry = new ToolRegistry([tool("a"), new TestSource("up", [foreignTool("b")])]);
    expect(await registry.load()).toBe(registry);
  });

  test("does not wait for the warnings of a source that looks for them when they are read", async () => {
    const failure = { subject: "GET /gone", message: "It has no answers." };
    const warning = { subject: "GET /odd", message: "It looks odd.", severity: "warning" as const };
    const source = Object.assign(new TestSource("lazy", [foreignTool("b")]), {
      failures: [failure],
    });
    const readAll = vi.fn<() => unknown>(() => [failure, warning]);
    Object.defineProperty(source, "problems", { get: readAll });
    const listener = vi.fn<(problem: RegistryProblem) => void>();
    // A combinator has the failures of its source.
    const registry = new ToolRegistry([prefix(source, "of")], { onProblem: listener });
    await expect(registry.load()).rejects.toThrow("GET /gone: It has no answers.");
    expect(listener).toHaveBeenCalledExactlyOnceWith({ ...failure, source: "lazy" });
    expect(readAll).not.toHaveBeenCalled();
    expect(registry.problems).toEqual([
      { ...failure, source: "lazy" },
      { ...warning, source: "lazy" },
    ]);
  });

  test("rejects with every problem, of sources and of schemas", async () => {
    const registry = halfLoaded().add(new TestSource("mixed", [unusable]));
    const loading = registry.load();
    await expect(loading).rejects.toMatchObject({ code: "unavailable" });
    await expect(loading).rejects.toThrow(
      `The registry has loaded with 2 problems. The other tools work.\n- down: down.example does not answer.\n- mixed: bad: ${badText}`,
    );
  });

  test("does not reject for a warning", async () => {
    const source = new TestSource("up", [foreignTool("b")]);
    source.problems = [{ subject: "b", message: "It is old.", severity: "warning" }];
    await expect(new ToolRegistry([source]).load()).resolves.toBeInstanceOf(ToolRegistry);
  });

  test("is not followed by a process warning of the same", async () => {
    await expect(halfLoaded().load()).rejects.toThrow("1 problem.");
    expect(warn).not.toHaveBeenCalled();
  });
});

describe("a source that cannot be loaded", () => {
  test("is one process warning with a code, the source and its reason", async () => {
    const registry = halfLoaded();
    await registry.ready;
    await settled();
    expect(warn.mock.calls).toEqual([
      [
        "1 source of a tool registry could not be loaded, so its tools are missing:\n- down: down.example does not answer.",
        { code: "TOOLWEAVE_SOURCES_FAILED", detail: expect.stringContaining("registry.load()") },
      ],
    ]);
    registry.add(new TestSource("other"));
    await registry.ready;
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test("is passed to onProblem once instead, with what else could not become a tool", async () => {
    const onProblem = vi.fn<(problem: RegistryProblem) => void>();
    const registry = halfLoaded({ onProblem });
    await registry.ready;
    const late = new TestSource("late");
    registry.add(late);
    await registry.ready;
    late.set(foreignTool("works"));
    late.set(foreignTool("works"), foreignTool("more"));
    expect(warn).not.toHaveBeenCalled();
    expect(onProblem.mock.calls.map(([{ source, subject }]) => [source, subject])).toEqual([
      ["down", "down"],
      ["late", "works"],
    ]);
  });

  test("an onProblem that throws changes nothing", async () => {
    const registry = halfLoaded({
      onProblem: () => {
        throw new Error("no");
      },
    });
    await registry.ready;
    expect(Array.from(registry.toolset().names())).toEqual(["works"]);
  });
});

describe("a list of tools that would be empty by mistake", () => {
  const failing = async (): Promise<ToolRegistry> => {
    const source = new TestSource("down", [], { loading: true });
    const registry = new ToolRegistry([source]);
    source.fail(new ToolError("unavailable", "down.example does not answer."));
    await registry.ready;
    return registry;
  };

  test("because every source has failed is an error with their reasons", async () => {
    const { toolset } = new ToolExecutor({ registry: await failing() });
    const text =
      "The only source of this registry could not be loaded:\n- down: down.example does not answer.";
    expect(() => toolset.names()).toThrow(text);
    expect(() => toolset.specs()).toThrow(text);
    expect(() => toolset.select({ include: ["a"] }).specs()).toThrow(text);
  });

  test("because nothing has loaded yet is an error that says what to await", async () => {
    const source = new TestSource("slow", [foreignTool("a")], { loading: true });
    source.set();
    const registry = new ToolRegistry([source]);
    expect(() => registry.toolset().names()).toThrow(
      /still loading, and has no tools yet: await registry\.load\(\) first/,
    );
    source.load();
    await registry.ready;
    expect(Array.from(registry.toolset().names())).toEqual(["a"]);
  });

  test("is no error of a registry without sources", () => {
    expect(Array.from(new ToolRegistry().toolset().names())).toEqual([]);
  });

  test("does not make a call reject", async () => {
    const executor = new ToolExecutor({ registry: await failing() });
    const { error } = failed(await executor.execute(call("a")));
    expect(error.code).toBe("not_found");
    expect(error.message).toContain("1 source could not be loaded");
  });

  test("is over as soon as a source has come up after all", async () => {
    const source = new TestSource("down", [], { loading: true });
    const registry = new ToolRegistry([source]);
    source.fail(new Error("no"));
    await registry.ready;
    source.set(foreignTool("a"));
    expect(Array.from(registry.toolset().names())).toEqual(["a"]);
  });
});
