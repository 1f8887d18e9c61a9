import { ajvValidator, type JsonObject, type JsonSchema, type JsonValue } from "@toolweave/core";
import { isObject, resolveReference } from "@toolweave/core/adapter";
import { inFullRun } from "@toolweave/test-support";
import fc from "fast-check";
import { expect, test } from "vitest";
import { declareTools } from "../src/commands/types/declaration.ts";
import { compileTypes } from "./support/compile-types.ts";
import { toTypeText } from "./support/type-text.ts";

const names = ["a", "b", "c-d", "new"];
const definitions = ["First", "Second", "third"];

const literal = fc.constantFrom<JsonValue>("x", "", 'quote"', 1, -0.5, true, null, ["x", 1], {
  a: [],
});
const scalar = fc.constantFrom<JsonSchema>(
  {},
  { type: "string" },
  { type: "string", minLength: 1, pattern: "^x" },
  { type: "integer", minimum: 0 },
  { type: ["number", "null"] },
  { type: "boolean" },
  { type: ["string", "object"] },
  { not: { type: "string" } },
);

/** Schemas with the keywords that have an equivalent in a type, and some that have none. */
const { schema } = fc.letrec<{ readonly schema: JsonValue }>((tie) => {
  // The compiler refuses an object that has none of the optional names of a type: all objects have one in common.
  const some = fc
    .dictionary(fc.constantFrom(...names), tie("schema"), { maxKeys: 3 })
    .map((properties) => ({ id: {}, ...properties }));
  const list = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const required = fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 });
  const object = fc.record(
    {
      type: fc.constantFrom<JsonValue>("object", ["object", "null"]),
      properties: some,
      required,
      additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
      patternProperties: fc.dictionary(fc.constantFrom("^x-", "y$"), tie("schema"), { maxKeys: 1 }),
      description: fc.constant("A text */ in two\nlines."),
    },
    { requiredKeys: ["type"] },
  );
  const array = fc.record(
    {
      type: fc.constant<JsonValue>("array"),
      items: tie("schema"),
      prefixItems: list,
      minItems: fc.nat(2),
    },
    { requiredKeys: ["type"] },
  );
  const combined = fc
    .tuple(
      fc.oneof(object, fc.constant({})),
      fc.record({ allOf: list, anyOf: list, oneOf: list }, { requiredKeys: [] }),
    )
    .map(([own, applied]) => ({ ...own, ...applied }));
  const reference = fc.constantFrom(...definitions).map((name) => ({ $ref: `#/$defs/${name}` }));
  return {
    schema: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      { arbitrary: scalar, weight: 4 },
      {
        arbitrary: fc.oneof(
          literal.map((value) => ({ const: value })),
          fc.array(literal, { minLength: 1, maxLength: 4 }).map((values) => ({ enum: values })),
        ),
        weight: 1,
      },
      { arbitrary: reference, weight: 2 },
      { arbitrary: object, weight: 4 },
      { arbitrary: array, weight: 2 },
      { arbitrary: combined, weight: 3 },
      { arbitrary: fc.boolean(), weight: 1 },
    ) as fc.Arbitrary<JsonValue>,
  };
});

const document = fc
  .tuple(schema.filter(isObject), fc.tuple(schema, schema, schema))
  .map(([root, defs]): JsonSchema => ({
    ...root,
    $defs: Object.fromEntries(defs.map((one, index) => [definitions[index], one])) as JsonObject,
  }));

/** Values that a schema may accept: of its parts one by one, and of objects together. */
function candidates(part: JsonValue, root: JsonSchema, depth = 0): readonly JsonValue[] {
  if (!isObject(part) || depth > 6) return [null, "x", 1];
  const { $ref, const: constant, enum: values } = part;
  if (constant !== undefined) return [constant];
  if (Array.isArray(values)) return values as readonly JsonValue[];
  const inner = (one: JsonValue): readonly JsonValue[] => candidates(one, root, depth + 1);
  const referred = typeof $ref === "string" ? inner(resolveReference(root, $ref) as JsonValue) : [];
  const applied = ["allOf", "anyOf", "oneOf"].flatMap((keyword) =>
    (Array.isArray(part[keyword]) ? (part[keyword] as readonly JsonValue[]) : []).map(inner),
  );
  const own = [part["type"] ?? []].flat().flatMap((type): readonly JsonValue[] => {
    if (type === "object") return objects(part, inner);
    if (type === "array") return arrays(part, inner);
    return { string: ["x", ""], integer: [0, 3], number: [-1.5], boolean: [true], null: [null] }[
      type as string
    ] as readonly JsonValue[];
  });
  const alone = [...own, ...referred, ...applied.flat()];
  const together = [own, ...applied].map((list) => list.find(isObject) ?? {});
  const found = [...alone, Object.assign({}, ...together) as JsonValue];
  return (own.length + referred.length + applied.length === 0 ? [7, ...found] : found).slice(0, 12);
}

function objects(part: JsonObject, inner: (one: JsonValue) => readonly JsonValue[]): JsonValue[] {
  const { properties = {}, required = [], additionalProperties, patternProperties = {} } = part;
  const declared = Object.entries(properties as JsonObject);
  const entries = (pick: (list: readonly JsonValue[]) => JsonValue | undefined) =>
    declared.map(([name, one]) => [name, pick(inner(one as JsonValue))] as const);
  const missing = (required as readonly string[])
    .filter((name) => !Object.hasOwn(properties as object, name))
    .map((name) => [name, inner(additionalProperties ?? true)[0]] as const);
  const patterned = Object.values(patternProperties as JsonObject).map(
    (one) => ["x-y", inner(one as JsonValue)[0]] as const,
  );
  // A name that an open object does not declare is an error for the compiler, by intention.
  const isOpen = additionalProperties !== undefined || declared.length === 0;
  const more = isOpen
    ? ["id", "other"].map((name) => [name, inner(additionalProperties ?? true)[0]] as const)
    : [];
  const first = [...more.slice(0, 1), ...entries((list) => list[0]), ...missing];
  const variants = [
    first,
    first.filter(([name]) => name === "id" || (required as readonly string[]).includes(name)),
    [...more, ...entries((list) => list.at(-1)), ...missing, ...patterned],
  ];
  return variants.map(
    (variant) => Object.fromEntries(variant.filter(([, one]) => one !== undefined)) as JsonObject,
  );
}

function arrays(part: JsonObject, inner: (one: JsonValue) => readonly JsonValue[]): JsonValue[] {
  const { prefixItems = [], items = true, minItems = 0 } = part;
  const prefix = (prefixItems as readonly JsonValue[]).map((one) => inner(one)[0] ?? null);
  const rest = Array.from({ length: 2 + Number(minItems) }, () => inner(items)[0] ?? null);
  return [prefix, [...prefix, ...rest], prefix.slice(0, Number(minItems))];
}

test("types of any schema compile, and every value that a schema accepts is of its type", async () => {
  const schemas = fc.sample(document, inFullRun(2000, 200));
  const validator = ajvValidator();
  const lines = ['import type { Schemas } from "./toolweave.d.ts";'];
  for (const [index, one] of schemas.entries()) {
    // Of circles of references that have no values, types have to compile, too.
    const validate = await Promise.resolve(one)
      .then((schema) => validator.compile(schema))
      .catch(() => () => []);
    const valid = candidates(one, one).filter((value) => validate(value) === undefined);
    for (const value of new Set(valid.map((value) => JSON.stringify(value)))) {
      const type = toTypeText(JSON.parse(value) as JsonValue);
      lines.push(
        `export const value${lines.length} = null! as ${type} satisfies Schemas.Tools["tool_${index}"]["output"];`,
      );
    }
  }
  // Most schemas accept some of the values.
  expect(lines.length).toBeGreaterThan(schemas.length);
  const tools = schemas.map((output, index) => ({
    name: `tool_${index}`,
    source: "schemas",
    description: "",
    input: { type: "object" },
    output,
  }));
  const { text } = declareTools(tools, "toolweave types");
  expect(compileTypes(text, lines.join("\n"))).toBe("");
});
