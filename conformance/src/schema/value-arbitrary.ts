import fc from "fast-check";
import type { JsonObject, JsonValue } from "@toolweave/core";
import { typesOf } from "./breaches.ts";
import { conjuncts } from "./conjuncts.ts";
import type { References } from "./references.ts";
import { isObject } from "./subschemas.ts";

type Values = fc.Arbitrary<JsonValue>;

const maxDepth = 5;

/** Deeper than this only what is required is generated: large documents grow with each level. */
const maxOptionalDepth = 1;

const anything: Values = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer({ min: -1000, max: 1000 }),
  fc.boolean(),
  fc.constant(null),
);

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "date-time": date().map((day) => day.toISOString()),
  date: date().map((day) => day.toISOString().slice(0, 10)),
  email: fc.constantFrom("a@example.com", "someone.else@example.org"),
  uri: fc.constantFrom("https://example.com/", "https://example.org/a?b=c"),
  uuid: fc.uuid(),
};

/**
 * Values that a schema is likely to accept: what its keywords ask for one by one, at most five
 * levels deep. The validator has the last word.
 */
export function valuesOf(schema: JsonValue | undefined, references: References, depth = 0): Values {
  if (depth > maxDepth) return anything;
  const merged = merge(conjuncts(schema, references));
  if ("const" in merged) return fc.constant(merged["const"] as JsonValue);
  const members = merged["enum"];
  if (Array.isArray(members) && members.length > 0) {
    return fc.constantFrom(...(members as JsonValue[]));
  }
  const choices = [merged["anyOf"], merged["oneOf"]].filter(isFilledList);
  if (choices.length > 0) {
    const { anyOf: _, oneOf: __, ...rest } = merged;
    const branches = (choices[0] as JsonValue[]).map((branch) =>
      valuesOf(isObject(branch) ? { allOf: [rest, branch] } : rest, references, depth + 1),
    );
    return fc.oneof(...branches);
  }
  const types = typesOf(merged);
  const named = types.length > 0 ? types : isObject(merged["properties"]) ? ["object"] : [];
  if (named.length === 0) return anything;
  return fc.oneof(...named.map((type) => ofType(type, merged, references, depth)));
}

function ofType(type: string, schema: JsonObject, references: References, depth: number): Values {
  switch (type) {
    case "string":
      return strings(schema);
    case "integer":
    case "number":
      return numbers(schema, type === "integer");
    case "boolean":
      return fc.boolean();
    case "array":
      return arrays(schema, references, depth);
    case "object":
      return objects(schema, references, depth);
    default:
      return fc.constant(null);
  }
}

function strings(schema: JsonObject): Values {
  const { pattern, format } = schema;
  const known = typeof format === "string" ? formats[format] : undefined;
  if (known !== undefined) return known;
  if (typeof pattern === "string") {
    try {
      return fc.stringMatching(new RegExp(pattern, "u"), { size: "small" });
    } catch {
      // A pattern that cannot be generated from: plain text, and the validator decides.
    }
  }
  const minLength = numberOr(schema["minLength"], 0);
  const maxLength = Math.max(minLength, numberOr(schema["maxLength"], minLength + 12));
  return fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 12) });
}

function numbers(schema: JsonObject, whole: boolean): Values {
  const step = numberOr(schema["multipleOf"], whole ? 1 : 0.5);
  const above = schema["exclusiveMinimum"];
  const below = schema["exclusiveMaximum"];
  const least = Math.ceil(numberOr(schema["minimum"], numberOr(above, -1000)) / step);
  const most = Math.floor(numberOr(schema["maximum"], numberOr(below, least * step + 2000)) / step);
  const min = Math.max(least, -(2 ** 31)) + (typeof above === "number" ? 1 : 0);
  const max = Math.min(most, min + 2 ** 31) - (typeof below === "number" ? 1 : 0);
  if (!(min <= max) || !Number.isSafeInteger(min) || !Number.isSafeInteger(max)) {
    return fc.constant(numberOr(schema["minimum"], 0));
  }
  return fc.integer({ min, max }).map((count) => count * step);
}

function arrays(schema: JsonObject, references: References, depth: number): Values {
  const minLength = numberOr(schema["minItems"], 0);
  const most = numberOr(schema["maxItems"], minLength + 3);
  const maxLength = Math.max(minLength, depth < maxDepth ? Math.min(most, minLength + 3) : 0);
  const items = isObject(schema["items"])
    ? valuesOf(schema["items"], references, depth + 1)
    : anything;
  const prefix = schema["prefixItems"];
  if (isFilledList(prefix)) {
    return fc.tuple(...prefix.map((item) => valuesOf(item, references, depth + 1)));
  }
  return schema["uniqueItems"] === true
    ? fc.uniqueArray(items, { minLength, maxLength, selector: (item) => JSON.stringify(item) })
    : fc.array(items, { minLength, maxLength });
}

function objects(schema: JsonObject, references: References, depth: number): Values {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? (schema["required"] as string[]) : [];
  const members: Record<string, Values> = {};
  for (const [name, property] of Object.entries(properties)) {
    const needed = required.includes(name);
    if (name === "__proto__" || property === false || (!needed && depth > maxOptionalDepth))
      continue;
    members[name] = valuesOf(property, references, depth + 1);
  }
  for (const name of required) members[name] ??= anything;
  return fc.record(members, { requiredKeys: required.filter((name) => name in members) });
}

/** One schema that says what several say; where they contradict each other the validator finds out. */
function merge(schemas: readonly JsonObject[]): JsonObject {
  const merged: Record<string, JsonValue> = {};
  for (const schema of schemas) {
    for (const [keyword, value] of Object.entries(schema)) {
      const before = merged[keyword];
      if (keyword === "$ref" || keyword === "allOf") continue;
      if (keyword === "properties" && isObject(before) && isObject(value)) {
        merged[keyword] = { ...before, ...value };
      } else if (keyword === "required" && Array.isArray(before) && Array.isArray(value)) {
        merged[keyword] = [...new Set([...before, ...value])] as JsonValue[];
      } else {
        merged[keyword] = value;
      }
    }
  }
  return merged;
}

function isFilledList(value: JsonValue | undefined): value is JsonValue[] {
  return Array.isArray(value) && value.length > 0;
}

function numberOr(value: JsonValue | undefined, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}

function date(): fc.Arbitrary<Date> {
  return fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true });
}
