import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import fc from "fast-check";

/** A schema with a value that is valid for it. */
export interface Example {
  readonly schema: JsonSchema;
  readonly value: JsonValue;
}

/** Names of real schemas, and some that no provider accepts. */
const name = fc.constantFrom("id", "name", "kind", "filter[name]", "$top", "X-Trace", "items");
const word = fc.stringMatching(/^[a-z]{1,6}$/);

const constrainedText: fc.Arbitrary<Example> = word.chain((value) =>
  fc
    .record(
      {
        minLength: fc.constant(1),
        maxLength: fc.constant(20),
        pattern: fc.constantFrom("^[a-z]+$", "^(?!x$)", "(?<=^|.)"),
        description: fc.constant("A word."),
        default: fc.constant("a"),
      },
      { requiredKeys: [] },
    )
    .map((more): Example => ({ schema: { type: "string", ...withoutX(more, value) }, value })),
);

function withoutX(more: object, value: string): JsonSchema {
  const { pattern, ...rest } = more as { pattern?: string };
  return pattern === undefined || (value === "x" && pattern.startsWith("^(?!"))
    ? rest
    : { ...rest, pattern };
}

const number: fc.Arbitrary<Example> = fc
  .integer({ min: 1, max: 9 })
  .chain((value) =>
    fc
      .constantFrom<JsonSchema>(
        { type: "integer" },
        { type: "number", exclusiveMinimum: 0, maximum: 9 },
        { type: "integer", minimum: 1, multipleOf: 1 },
        { type: ["integer", "null"] },
      )
      .map((schema) => ({ schema, value })),
  );

const listed: fc.Arbitrary<Example> = fc.constantFrom<Example>(
  { schema: { enum: ["a", "b"] }, value: "a" },
  { schema: { type: ["string", "null"], enum: ["a", null] }, value: null },
  { schema: { enum: [1, "one", true, null] }, value: true },
  { schema: { const: "fixed" }, value: "fixed" },
  { schema: { const: false }, value: false },
  { schema: { type: "boolean", default: true }, value: false },
  { schema: { type: "string", format: "uri" }, value: "https://example.org" },
  { schema: { type: "string", format: "date" }, value: "2026-01-31" },
  { schema: { type: "object", additionalProperties: { type: "integer" } }, value: { x: 1 } },
  { schema: {}, value: [1, { a: null }] },
  { schema: { not: { type: "string", pattern: "^(?!b)" } }, value: "b" },
  { schema: { type: "array" }, value: ["anything"] },
  {
    schema: {
      type: "object",
      properties: { a: { type: "string" } },
      anyOf: [{ properties: { b: { type: "string", pattern: "^(?!x)" } } }],
      unevaluatedProperties: false,
    },
    value: { a: "a", b: "b" },
  },
  {
    schema: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false },
    value: ["a", 1],
  },
  {
    schema: {
      type: "object",
      patternProperties: { "^x-": { type: "string" } },
      additionalProperties: false,
    },
    value: { "x-a": "b" },
  },
  {
    schema: {
      type: "array",
      items: { type: "string" },
      contains: { const: "a" },
      uniqueItems: true,
    },
    value: ["a", "b"],
  },
);

interface Member {
  readonly name: string;
  readonly example: Example;
  readonly isRequired: boolean;
  readonly isThere: boolean;
}

function createObject(member: fc.Arbitrary<Example>): fc.Arbitrary<Example> {
  const members = fc.uniqueArray(
    fc.record({
      name,
      example: member,
      isRequired: fc.boolean(),
      isThere: fc.boolean(),
    }),
    { maxLength: 4, selector: (one) => one.name },
  );
  return fc.tuple(members, fc.boolean()).map(([all, isClosed]) => objectExample(all, isClosed));
}

function objectExample(members: readonly Member[], isClosed: boolean): Example {
  const required = members.filter((one) => one.isRequired).map((one) => one.name);
  const there = members.filter((one) => one.isRequired || one.isThere);
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(members.map((one) => [one.name, one.example.schema])),
      ...(required.length > 0 && { required }),
      ...(isClosed && { additionalProperties: false }),
    },
    value: Object.fromEntries(there.map((one) => [one.name, one.example.value])),
  };
}

/** A union, with a value of one of the first variants. */
function createUnion(member: fc.Arbitrary<Example>): fc.Arbitrary<Example> {
  return fc
    .tuple(fc.constantFrom("anyOf", "oneOf"), fc.array(member, { minLength: 1, maxLength: 3 }))
    .map(([keyword, all]) => ({
      schema: { [keyword]: all.map((one) => one.schema) },
      value: (all[0] as Example).value,
    }));
}

/** Two objects that both apply, as in documents with inheritance. */
function createIntersection(object: fc.Arbitrary<Example>): fc.Arbitrary<Example> {
  return fc.tuple(object, object).map(([a, b]) => ({
    schema: { description: "Both.", allOf: [a.schema, b.schema] },
    value: { ...(a.value as JsonObject), ...(b.value as JsonObject) },
  }));
}

const nested = fc.letrec<{ any: Example; object: Example }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    constrainedText,
    number,
    listed,
    tie("object"),
    createUnion(tie("any")),
    createIntersection(tie("object")),
    fc.array(tie("any"), { minLength: 1, maxLength: 1 }).map((all) => ({
      schema: { type: "array", items: (all[0] as Example).schema, minItems: 1 },
      value: all.map((one) => one.value),
    })),
    fc.constantFrom("#/$defs/shared", "#/$defs/node").map((reference) => ({
      schema: { $ref: reference },
      value: reference.endsWith("node") ? { label: "a", next: { label: "b" } } : { size: 1 },
    })),
  ),
  object: createObject(tie("any")),
}));

const $defs: JsonSchema = {
  shared: {
    type: "object",
    properties: { size: { type: "integer" }, unit: { type: "string" } },
    required: ["size"],
  },
  node: {
    type: "object",
    properties: { label: { type: "string", minLength: 1 }, next: { $ref: "#/$defs/node" } },
    required: ["label"],
  },
};

/** Schemas of arguments, each with valid arguments. */
export const example: fc.Arbitrary<Example> = fc
  .oneof(
    { weight: 4, arbitrary: nested.object },
    { weight: 1, arbitrary: createIntersection(nested.object) },
    { weight: 1, arbitrary: createUnion(nested.object) },
  )
  .map(({ schema, value }) => ({ schema: { ...schema, $defs }, value }));
