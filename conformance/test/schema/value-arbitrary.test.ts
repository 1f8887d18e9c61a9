import { ajvValidator, type JsonObject } from "@toolweave/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findThrownProgrammingError } from "../../src/faults/error-faults.ts";
import { generateBoundaries } from "../../src/schema/boundaries.ts";
import { generateBreaches } from "../../src/schema/breaches.ts";
import { References } from "../../src/schema/references.ts";
import { generateValues } from "../../src/schema/value-arbitrary.ts";
import type { ValueStyle } from "../../src/schema/generation-settings.ts";

const validator = ajvValidator();

async function accepting(schema: JsonObject): Promise<(value: unknown) => boolean> {
  const compiled = await validator.compile(schema);
  return (value) => compiled(value) === undefined;
}

function sample(schema: JsonObject, style: ValueStyle, seed: number): JsonObject[] {
  const values = generateValues(schema, new References(schema), style);
  return fc.sample(values, { seed, numRuns: 40 }) as JsonObject[];
}

/** One keyword each, or two that interact, as in the schemas of real tools. */
const schemas: Readonly<Record<string, JsonObject>> = {
  patternProperties: {
    patternProperties: { "^x-[a-z]{2}$": { type: "integer" } },
    additionalProperties: false,
    minProperties: 2,
  },
  "a map": { additionalProperties: { type: "string", maxLength: 3 }, minProperties: 3 },
  propertyNames: {
    propertyNames: { pattern: "^[A-Z]{3}$" },
    additionalProperties: { type: "boolean" },
    minProperties: 2,
  },
  "minProperties of what is optional": {
    properties: { a: { type: "integer" }, b: { type: "string" }, c: { type: "boolean" } },
    additionalProperties: false,
    minProperties: 2,
  },
  maxProperties: {
    properties: { a: {}, b: {}, c: {}, d: {} },
    required: ["b"],
    maxProperties: 2,
  },
  dependentRequired: {
    properties: { card: { type: "string" }, address: { type: "string" }, zip: {} },
    dependentRequired: { card: ["address"], address: ["zip"] },
    required: ["card"],
  },
  dependentSchemas: {
    properties: { card: { type: "string" } },
    required: ["card"],
    dependentSchemas: { card: { properties: { cvc: { type: "integer" } }, required: ["cvc"] } },
  },
  "if, then, else": {
    properties: { kind: { enum: ["circle", "square"] } },
    required: ["kind"],
    if: { properties: { kind: { const: "circle" } } },
    // oxlint-disable-next-line no-thenable -- it is a keyword of JSON Schema
    then: { properties: { radius: { type: "number", minimum: 1 } }, required: ["radius"] },
    else: { properties: { side: { type: "number", minimum: 1 } }, required: ["side"] },
  },
  "not required": {
    properties: { id: { type: "integer" }, name: { type: "string" } },
    not: { required: ["id"] },
    required: ["name"],
  },
  "not a type": { properties: { a: { type: ["string", "null"], not: { type: "null" } } } },
  contains: {
    properties: {
      list: {
        type: "array",
        items: { type: "integer" },
        contains: { minimum: 1_000_000 },
        minContains: 2,
        maxItems: 4,
      },
    },
    required: ["list"],
  },
  prefixItems: {
    properties: {
      pair: {
        type: "array",
        prefixItems: [{ type: "string" }, { type: "integer" }],
        items: { type: "boolean" },
        minItems: 4,
      },
    },
    required: ["pair"],
  },
  "the tuples of draft-07": {
    $schema: "http://json-schema.org/draft-07/schema#",
    properties: {
      pair: {
        type: "array",
        items: [{ type: "string" }, { type: "integer" }],
        additionalItems: false,
        minItems: 2,
      },
    },
    required: ["pair"],
  },
  "oneOf of what is alike": {
    oneOf: [
      { properties: { name: {}, mass: {} }, required: ["name"], additionalProperties: false },
      { properties: { name: {}, orbit: {} }, required: ["name"], additionalProperties: false },
    ],
  },
  "anyOf and oneOf": {
    properties: { a: { type: "integer" }, b: { type: "integer" } },
    anyOf: [{ required: ["a"] }, { required: ["b"] }],
    oneOf: [
      { properties: { c: { const: 1 } }, required: ["c"] },
      { properties: { c: { const: 2 } }, required: ["c"] },
    ],
  },
  "bounds that are close": {
    properties: {
      share: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 0.1 },
      step: { type: "number", exclusiveMinimum: 3, maximum: 10, multipleOf: 3 },
      below: { type: "integer", maximum: -5000 },
      above: { type: "integer", minimum: 4_000_000_000 },
    },
    required: ["share", "step", "below", "above"],
  },
  "bounds of several schemas": {
    allOf: [
      { properties: { n: { type: "integer", minimum: 10 } } },
      { properties: { n: { type: "number", maximum: 12 } }, required: ["n"] },
    ],
  },
  $dynamicRef: {
    $dynamicAnchor: "node",
    properties: { id: { type: "integer" }, child: { $dynamicRef: "#node" } },
    required: ["id"],
  },
  "keywords without a type": {
    properties: { a: { minLength: 3 }, b: { items: { type: "null" } }, c: { minimum: 7 } },
    required: ["a", "b", "c"],
  },
};

const cases = Object.entries(schemas).map(([what, schema]) => ({
  what,
  schema: { type: "object", ...schema } as JsonObject,
}));
const styles: readonly ValueStyle[] = ["any", "ordinary", "least"];

test.each(cases.flatMap((one) => styles.map((style) => ({ ...one, style }))))(
  "$style values match $what",
  async ({ schema, style }) => {
    const accepts = await accepting(schema);
    for (const seed of [1, 2, 3]) {
      expect(sample(schema, style, seed).filter(accepts).length).toBeGreaterThan(10);
    }
  },
);

test("ordinary values are not empty, and least values contain only required members", () => {
  const schema: JsonObject = {
    type: "object",
    properties: {
      title: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
      note: { type: "string" },
      page: { type: "integer", minimum: 0 },
    },
    required: ["title", "tags", "page"],
  };
  for (const { title, tags, page } of sample(schema, "ordinary", 5)) {
    expect(title).not.toBe("");
    expect(tags).not.toEqual([]);
    expect(page).toBeGreaterThan(0);
  }
  for (const value of sample(schema, "least", 5)) {
    expect(Object.keys(value).sort()).toEqual(["page", "tags", "title"]);
  }
});

test("the same seed gives the same values", () => {
  const { schema } = cases[0] as (typeof cases)[0];
  expect(sample(schema, "any", 9)).toEqual(sample(schema, "any", 9));
});

test("boundaries change one value to bounds and unusual values, also nested ones", async () => {
  const schema: JsonObject = {
    type: "object",
    properties: {
      name: { type: "string", maxLength: 4 },
      size: { type: "integer", minimum: 2, maximum: 9 },
      lines: {
        type: "array",
        items: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] },
        maxItems: 3,
      },
      counts: { type: "object", additionalProperties: { type: "integer" } },
      when: { type: "string", format: "date" },
      note: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
    required: ["name"],
  };
  const accepts = await accepting(schema);
  const valid = generateBoundaries(schema, { name: "ab" }).filter(accepts);
  for (const args of valid) {
    const changed = Object.keys(args).filter((key) => key !== "name" || args[key] !== "ab");
    expect(changed.length).toBeLessThanOrEqual(1);
  }
  const texts = valid.map((args) => JSON.stringify(args));
  for (const edge of [
    '{"name":""}',
    '{"name":"xxxx"}',
    '{"name":"ab","size":2}',
    '{"name":"ab","size":9}',
    '{"name":"ab","lines":[]}',
    '{"name":"ab","lines":[{"sku":""}]}',
    '{"name":"ab","note":null}',
  ]) {
    expect(texts).toContain(edge);
  }
  expect(valid.some(({ lines }) => Array.isArray(lines) && lines.length === 3)).toBe(true);
  expect(valid.some(({ counts }) => Object.hasOwn((counts ?? {}) as object, "__proto__"))).toBe(
    true,
  );
  expect(valid.filter(({ when }) => when !== undefined)).toEqual([]);
});

test.each<[what: string, schema: JsonObject]>([
  ["/0: null", { lines: { type: "array", items: { type: "integer" } } }],
  ["/0: no sku", { lines: { type: "array", items: { type: "object", required: ["sku"] } } }],
  [": street: 7", { lines: { type: "object", properties: { street: { type: "string" } } } }],
  [": an undeclared property", { lines: { type: "object", additionalProperties: false } }],
  [": toolweave_unknown_property: null", { lines: { additionalProperties: { type: "string" } } }],
  [": null", { lines: { anyOf: [{ type: "string" }, { oneOf: [{ type: "integer" }] }] } }],
])("lines%s breaks %j", async (what, properties) => {
  const schema = { type: "object", properties };
  const accepts = await accepting(schema);
  const breaches = generateBreaches(schema, new Set()).filter(
    (breach) => breach.what === `lines${what}`,
  );
  expect(breaches.map((breach) => accepts(breach.apply({})))).toEqual([false]);
});

test("every violation makes the arguments invalid", async () => {
  for (const { schema } of cases) {
    const accepts = await accepting(schema);
    const valid = sample(schema, "any", 3).filter(accepts);
    for (const { what, apply } of generateBreaches(schema, new Set())) {
      expect([what, valid.some((args) => accepts(apply(args)))]).toEqual([what, false]);
    }
  }
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

test.each<[what: string, work: () => unknown]>([
  [
    "a member of undefined",
    () => ([] as { a: string }[])[0]?.a.length ?? (undefined as never as { a: 1 }).a,
  ],
  ["a method that does not exist", () => (7 as never as string).trim()],
  ["an empty list that is reduced", () => [].reduce((all) => all)],
  [
    "a recursion without an end",
    function again(): unknown {
      return [again()];
    },
  ],
  ["a list of negative length", () => [1].push(([].length = -1))],
])("%s is a programming error", (_, work) => {
  expect(findThrownProgrammingError(thrownBy(work))).toMatch(/^(?:Type|Range)Error: /);
});

test.each<[what: string, error: unknown]>([
  ["a URL that cannot be parsed", thrownBy(() => new URL("://"))],
  ["a request that fails", new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") })],
  ["a type that the author requires", new TypeError("The date must be a day of the week.")],
  ["an invalid date", thrownBy(() => new Date("x").toISOString())],
  ["an error like any other", new Error("There is no such book.")],
  ["a text", "no"],
])("%s is not a programming error", (_, error) => {
  expect(findThrownProgrammingError(error)).toBeUndefined();
});
