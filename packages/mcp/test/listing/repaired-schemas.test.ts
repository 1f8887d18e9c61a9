import type { McpSource } from "../../src/index.ts";
import { describe, expect, it, test } from "vitest";
import { listedTool, openSource } from "../support/listed-source.ts";
import { executorOver, findTool } from "../support/open-source.ts";

const listNames = (source: McpSource): string[] => source.tools().map(({ spec }) => spec.name);
const listErrors = (source: McpSource): string[] =>
  source.problems
    .filter(({ severity }) => severity !== "warning")
    .map(({ subject, message }) => `${subject}: ${message}`);
const listWarnings = (source: McpSource): string[] =>
  source.problems.filter(({ severity }) => severity === "warning").map(({ message }) => message);

const withSchema = (name: string, inputSchema: unknown): object =>
  listedTool(name, { inputSchema });
const withProperty = (name: string, property: unknown): object =>
  withSchema(name, { type: "object", properties: { a: property } });

describe("a schema with a part that constrains nothing as it is written", () => {
  const object = (member: unknown): object => ({ type: "object", properties: { a: member } });

  it.each<[string, unknown, unknown]>([
    ["properties: null", { type: "object", properties: null }, { type: "object" }],
    ["required: null", { type: "object", required: null }, { type: "object" }],
    ["$schema: null", { $schema: null, type: "object" }, { type: "object" }],
    ["$defs: null", { $defs: null, type: "object" }, { type: "object" }],
    [
      "additionalProperties: null",
      { type: "object", additionalProperties: null },
      { type: "object" },
    ],
    ["anyOf: null", { type: "object", anyOf: null }, { type: "object" }],
    ["a property that is null", object(null), object({})],
    ["items: null", object({ type: "array", items: null }), object({ type: "array" })],
    ["enum: null", object({ type: "string", enum: null }), object({ type: "string" })],
    ["description: null", object({ description: null }), object({})],
    ["$ref: null", object({ type: "string", $ref: null }), object({ type: "string" })],
    ["null in items", object({ items: { enum: null } }), object({ items: {} })],
    [
      "null in $defs",
      { type: "object", $defs: { a: { pattern: null } } },
      { type: "object", $defs: { a: {} } },
    ],
    ["a title that is a number", object({ title: 5 }), object({})],
    ["examples that are no list", object({ examples: "a" }), object({})],
    [
      "a bound of draft-04",
      object({ minimum: 1, exclusiveMinimum: true }),
      object({ exclusiveMinimum: 1 }),
    ],
    [
      "no bound of draft-04",
      object({ maximum: 1, exclusiveMaximum: false }),
      object({ maximum: 1 }),
    ],
  ])("(%s) is read without it, as input and as output", async (_, schema, repaired) => {
    const source = await openSource([
      withSchema("input", schema),
      listedTool("output", { outputSchema: schema }),
    ]);
    expect(listErrors(source)).toEqual([]);
    expect(listWarnings(source)).toEqual([
      expect.stringMatching(/^Keywords of its inputSchema have a value .* read as absent: \//),
      expect.stringMatching(/^Keywords of its outputSchema have a value .* read as absent: \//),
    ]);
    expect(findTool(source, "s__input").spec.inputSchema).toEqual(repaired);
    expect(findTool(source, "s__output").spec.outputSchema).toEqual(repaired);
  });

  it("(null as data) is unchanged", async () => {
    const schema = object({ enum: ["a", null], default: null, const: null, examples: [null] });
    const source = await openSource([withSchema("input", schema)]);
    expect(source.problems).toEqual([]);
    expect(findTool(source, "s__input").spec.inputSchema).toEqual(schema);
  });

  it("(a draft-04 limit in draft-04) is unchanged", async () => {
    const schema = {
      $schema: "http://json-schema.org/draft-04/schema#",
      ...object({ minimum: 1, exclusiveMinimum: true }),
    };
    const source = await openSource([withSchema("input", schema)]);
    expect(source.problems).toEqual([]);
    expect(findTool(source, "s__input").spec.inputSchema).toEqual(schema);
    const call = { id: "1", name: "s__input", arguments: { a: 1 } };
    expect((await executorOver(source).execute(call)).error?.code).toBe("invalid_arguments");
  });

  it("(outputSchema: null) is no output schema", async () => {
    const source = await openSource([listedTool("output", { outputSchema: null })]);
    expect(listNames(source)).toEqual(["s__output"]);
    expect(listErrors(source)).toEqual([]);
  });
});

test("a schema that no value matches is named in problems, with the place", async () => {
  const source = await openSource([
    withProperty("input", { type: "string", enum: [1, 2] }),
    listedTool("output", {
      outputSchema: { type: "object", required: ["a"], additionalProperties: false },
    }),
  ]);
  expect(listErrors(source)).toEqual([]);
  expect(listWarnings(source)).toEqual([
    "No value is valid for /properties/a of its inputSchema: no value of its enum is of the type string.",
    'No value is valid for its outputSchema: it requires "a", and additionalProperties: false of the schema refuses that property.',
  ]);
});

describe("a schema of any dialect", () => {
  const cases: readonly [string, object, unknown, unknown][] = [
    [
      "none, which is 2020-12",
      { properties: { a: { prefixItems: [{ type: "integer" }], items: false } } },
      [1],
      [1, 2],
    ],
    [
      "2020-12",
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        properties: { a: { prefixItems: [{ type: "integer" }] } },
      },
      [1],
      ["x"],
    ],
    [
      "2019-09",
      {
        $schema: "https://json-schema.org/draft/2019-09/schema",
        properties: { a: { items: [{ type: "integer" }], additionalItems: false } },
      },
      [1],
      [1, 2],
    ],
    [
      "draft-07",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        properties: { a: { items: [{ type: "integer" }], additionalItems: false } },
      },
      [1],
      [1, 2],
    ],
  ];
  it.each(cases)("(%s) has the meaning of its dialect", async (_, schema, good, bad) => {
    const source = await openSource([withSchema("tool", { type: "object", ...schema })]);
    const executor = executorOver(source);
    const call = (a: unknown) =>
      executor.execute({ id: "1", name: "s__tool", arguments: { a } as never });
    expect((await call(good)).status).toBe("completed");
    expect(await call(bad)).toMatchObject({
      status: "failed",
      error: { code: "invalid_arguments" },
    });
  });
});
