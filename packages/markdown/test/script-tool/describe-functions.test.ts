import { describe, expect, test } from "vitest";
import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  toolsSource,
  type JsonObject,
  type Tool,
} from "@toolweave/core";
import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";
import { describeScripts, scriptTools } from "../../src/script-tool/script-tool.ts";
import { writeType } from "../../src/script-tool/type-text.ts";
import { openSession, recorder, readText } from "./support/session.ts";

const bounds = { maxLength: 400, maxDepth: 4 };
const type = (schema: unknown): string => writeType(schema, bounds);

describe("a schema as a type", () => {
  test.each([
    [{ type: "string" }, "str"],
    [{ type: ["integer", "null"] }, "int | None"],
    [{ type: "string", nullable: true }, "str | None"],
    [{ enum: ["a", 1, null, true] }, 'Literal["a", 1, None, True]'],
    [{ const: "x" }, 'Literal["x"]'],
    [
      { enum: Array.from({ length: 20 }, (_, n) => n) },
      "Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … 8 more]",
    ],
    [{ anyOf: [{ type: "string" }, { type: "integer" }, { type: "string" }] }, "str | int"],
    [{ anyOf: [{ type: "string" }, {}] }, "Any"],
    [{ type: "array", items: { type: "number" } }, "list[float]"],
    [{ type: "array" }, "list"],
    [{ type: "object" }, "dict"],
    [{ type: "object", additionalProperties: { type: "boolean" } }, "dict[str, bool]"],
    [
      {
        type: "object",
        properties: { a: { type: "string" }, "b-c": { type: "integer" } },
        required: ["a"],
      },
      '{"a": str, "b-c"?: int}',
    ],
    [
      {
        allOf: [
          { $ref: "#/$defs/base" },
          { type: "object", properties: { b: { type: "integer" } }, required: ["b"] },
        ],
        $defs: { base: { type: "object", properties: { a: { type: "string" } } } },
      },
      '{"a"?: str, "b": int}',
    ],
    [true, "Any"],
    [undefined, "Any"],
  ])("%j", (schema, expected) => {
    expect(type(schema)).toBe(expected);
  });

  test("ends where it refers to itself", () => {
    const node = { type: "object", properties: { next: { $ref: "#" } } };
    expect(type(node)).toBe('{"next"?: {"next"?: {"next"?: {"next"?: dict}}}}');
    const loop = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } };
    expect(type(loop)).toBe("Any");
  });

  test("is cut to its length, the inner levels first", () => {
    const inner = { type: "object", properties: Object.fromEntries(numbers(40, "inner")) };
    const outer = { type: "object", properties: { one: inner, two: { type: "string" } } };
    expect(type(outer)).toBe('{"one"?: dict, "two"?: str}');
    const wide = { type: "object", properties: Object.fromEntries(numbers(500, "member")) };
    const written = type(wide);
    expect(written.length).toBeLessThan(500);
    expect(written).toMatch(/… \d+ more keys\}$/);
  });

  test("of a schema that is large and refers to itself everywhere takes little work", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, n) => [`member${n}`, { $ref: "#" }]),
    );
    expect(await cpuMilliseconds(() => type({ type: "object", properties }))).toBeLessThan(
      linearWorkMs,
    );
  });
});

function numbers(count: number, name: string): [string, JsonObject][] {
  return Array.from({ length: count }, (_, n) => [`${name}${n}`, { type: "integer" }]);
}

describe("describe_functions", () => {
  const tool = recorder([]);
  const session = openSession([
    defineTool({
      name: "hub__find-issues",
      description: 'Find issues.\nSee """the docs""".',
      input: {
        type: "object",
        properties: {
          state: { type: "string", enum: ["open", "closed"], default: "open" },
          repo: { type: "string", description: "The repository." },
          from: { type: "string" },
          page: { type: "integer" },
        },
        required: ["repo"],
      },
      output: {
        type: "array",
        items: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
      },
      execute: () => [],
    }) as Tool,
    tool("hub__close"),
    tool("plain"),
    tool("same-name"),
    tool("same_name"),
  ]);
  const said = async (args: JsonObject): Promise<string> =>
    readText(await session.call("describe_functions", args));

  test("writes stubs with defaults, literals, result types and descriptions", async () => {
    expect(await said({ names: ["hub.find_issues"] })).toBe(
      `def hub.find_issues(repo: str, state: Literal["open", "closed"] = "open", page: int = None, **{"from"?: str}) -> list[{"id": int}]
    """Find issues. See '''the docs'''.
    repo: The repository."""`,
    );
  });

  test("takes names of functions and of tools, globs and words", async () => {
    expect(await said({ names: ["hub.*"] })).toMatch(/def hub\.close[^]*def hub\.find_issues/);
    expect(await said({ names: ["hub__close"] })).toMatch(/^def hub\.close\(\) -> Any/);
    expect(await said({ query: "find an issue" })).toContain("def hub.find_issues");
    expect(await said({ names: ["nothing"] })).toContain("No function matches.");
    expect(await said({})).toBe("plain, same_name\nhub: close, find_issues");
    expect(await said({ names: ["same*"] })).toContain('call_tool("same-name", {}) -> Any');
  });

  test("is no function of a script, and neither is run_script", async () => {
    expect(await said({ names: ["*"] })).not.toMatch(/run_script|describe_functions/);
  });

  test("is bounded for a thousand tools", async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => tool(`m${n % 50}__do_${n}`));
    const executor = new ToolExecutor({
      registry: new ToolRegistry([toolsSource("many", many), toolsSource("s", scriptTools())]),
    });
    const outcome = await executor.execute({
      id: "1",
      name: "describe_functions",
      arguments: { names: ["*"] },
    });
    expect(readText(outcome).length).toBeLessThan(26_000);
    expect(readText(outcome)).toMatch(/# \d+ of 1000 functions are left out, ask for fewer: /);
    const description = describeScripts(executor.registry.toolset());
    expect(description).toContain("Functions (1000):");
    expect(description.length).toBeLessThan(4_000);
    expect(description).toContain("… 10 more modules");
  });
});

test("the description lists the functions if the host gives the toolset, and then depends on it", () => {
  const registry: ToolRegistry = new ToolRegistry([
    toolsSource("one", [recorder([])("a__b")]),
    toolsSource("s", scriptTools({ toolset: () => registry.toolset() })),
  ]);
  const described = (): string => registry.get("run_script")?.spec.description ?? "";
  expect(described()).toContain("Functions (1):\na: b");
  registry.add(recorder([])("c"));
  expect(described()).toContain("Functions (2):\nc\na: b");
});
