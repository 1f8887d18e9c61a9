// Schemas that refer to themselves in ways that could be followed without end.
import type { JsonSchema } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { providerRules } from "../src/rules/all-rules.ts";
import { projection } from "../src/schema/projection.ts";
import { restoredArguments } from "../src/schema/restored-arguments.ts";
import { Unprojectable } from "../src/schema/projection-errors.ts";
import { schemaViolations } from "../src/schema/schema-violations.ts";

const a = { $ref: "#/$defs/a" };
const b = { $ref: "#/$defs/b" };

function object(properties: JsonSchema, more: JsonSchema = {}): JsonSchema {
  return { type: "object", properties, ...more };
}

/** Every object contains all others, each of which contains all again. */
function everyoneKnowsEveryone(count: number): JsonSchema {
  const names = Array.from({ length: count }, (_, index) => `d${index}`);
  const all = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
  return object(all, { $defs: Object.fromEntries(names.map((name) => [name, object(all)])) });
}

/** Each definition leads twice to the next one: an exponential number of paths to the last. */
function everyWayTwice(keyword: string, last: JsonSchema): JsonSchema {
  const steps = 60;
  const next = (index: number): JsonSchema => ({ $ref: `#/$defs/d${index}` });
  const definitions = Array.from({ length: steps }, (_, index): [string, JsonSchema] => [
    `d${index}`,
    index === steps - 1
      ? last
      : { [keyword]: [next(index + 1), { ...next(index + 1), title: `Step ${index}` }] },
  ]);
  return object({ x: next(0) }, { $defs: Object.fromEntries(definitions) });
}

/** Many places that are referenced by anchors, with one name for all of their definitions. */
function anchored(count: number): JsonSchema {
  const numbers = Array.from({ length: count }, (_, index) => index);
  return object(
    Object.fromEntries(numbers.map((index) => [`p${index}`, { $ref: `/name#a${index}` }])),
    {
      $id: "/name",
      $defs: Object.fromEntries(
        numbers.map((index) => [`d${index}`, { $anchor: `a${index}`, type: "string" }]),
      ),
    },
  );
}

const schemas: Readonly<Record<string, JsonSchema>> = {
  "a reference to itself alone": object({ x: a }, { $defs: { a } }),
  "two references to each other alone": object({ x: a }, { $defs: { a: b, b: a } }),
  "itself with more constraints": object(
    { x: a },
    { $defs: { a: object({ x: { ...a, minProperties: 1 } }) } },
  ),
  "itself in allOf": object({ x: a }, { $defs: { a: { allOf: [a, object({ y: {} })] } } }),
  "itself below allOf": object(
    { x: a },
    {
      $defs: {
        a: object({ x: { description: "The next.", allOf: [a] }, y: { allOf: [a, b] } }),
        b: object({ x: { allOf: [b, a] } }),
      },
    },
  ),
  "two that are merged": object(
    { x: { allOf: [a, b] } },
    { $defs: { a: object({ n: a, m: b }), b: object({ n: b, m: a }) } },
  ),
  "itself in anyOf": object({ x: a }, { $defs: { a: { anyOf: [a, { type: "string" }] } } }),
  "the root": { ...object({ x: { $ref: "#" } }), anyOf: [{ required: ["x"] }, { $ref: "#" }] },
  "the root in allOf": { ...object({ x: {} }), allOf: [{ $ref: "#" }] },
  "twenty that refer to each other": everyoneKnowsEveryone(20),
  "sixty allOf, each of the next twice": everyWayTwice("allOf", object({ y: {} })),
  "sixty anyOf, each of the next twice": everyWayTwice("anyOf", object({ y: {} })),
  "a thousand anchors": anchored(1000),
  "not itself": object({ x: a }, { $defs: { a: { not: a } } }),
};

describe.each(Object.entries(schemas))("a schema of %s", (_, schema) => {
  it.each(Object.values(providerRules))(
    "is sent to $provider, or is reported as not sent",
    (rules) => {
      try {
        const { schema: sent } = projection(schema, rules);
        expect([...schemaViolations(sent, rules)]).toEqual([]);
        expect(projection(sent, rules).schema).toEqual(sent);
        expect(JSON.stringify(sent).length).toBeLessThan(200_000);
      } catch (error) {
        if (!(error instanceof Unprojectable)) throw error;
      }
    },
  );
});

it("arguments that match none of infinitely many variants are unchanged", () => {
  const last = object({ y: { type: "string" } }, { additionalProperties: false });
  const rules = providerRules["openai-strict"];
  const projected = projection({ ...everyWayTwice("anyOf", last), required: ["x"] }, rules);
  expect(restoredArguments({ x: { y: 5 } }, projected)).toEqual({ x: { y: 5 } });
});

it("the properties of a thousand variants become one object's", () => {
  const anyOf = Array.from({ length: 1000 }, (_, index) => ({
    properties: { x: { type: "string", minLength: index }, y: { type: "boolean" } },
  }));
  const { schema } = projection(object({}, { anyOf }), providerRules.anthropic);
  expect(schema["properties"]).toMatchObject({
    x: { anyOf: { length: 1000 } },
    y: { type: "boolean" },
  });
});
