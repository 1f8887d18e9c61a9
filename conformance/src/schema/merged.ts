import type { JsonObject, JsonValue } from "@toolweave/core";
import { typesOf } from "./breaches.ts";
import { isObject } from "./subschemas.ts";

/** What several schemas say of the same value, sorted by how it can be met. */
export interface Merged {
  /** What asserts by itself: one keyword each. */
  readonly base: JsonObject;
  /** Lists of schemas of which one has to be met. */
  readonly choices: readonly Choice[];
  readonly conditions: readonly JsonObject[];
}

/** `anyOf` or `oneOf`. */
export interface Choice {
  readonly keyword: "anyOf" | "oneOf";
  readonly branches: readonly JsonValue[];
}

const lowerBounds = new Set([
  "minimum",
  "exclusiveMinimum",
  "minLength",
  "minItems",
  "minProperties",
  "minContains",
]);
const upperBounds = new Set([
  "maximum",
  "exclusiveMaximum",
  "maxLength",
  "maxItems",
  "maxProperties",
  "maxContains",
]);
const references = new Set(["$ref", "$dynamicRef", "$recursiveRef", "allOf"]);

/** One schema that says what several say; where they contradict each other the validator finds out. */
export function merge(schemas: readonly JsonObject[]): Merged {
  const base: Record<string, JsonValue> = {};
  const choices: Choice[] = [];
  const conditions: JsonObject[] = [];
  for (const schema of schemas) {
    for (const [keyword, value] of Object.entries(schema)) {
      if (references.has(keyword) || keyword === "then" || keyword === "else") continue;
      if (keyword === "anyOf" || keyword === "oneOf") {
        if (Array.isArray(value) && value.length > 0) choices.push({ keyword, branches: value });
      } else if (keyword === "if") {
        conditions.push(schema);
      } else {
        base[keyword] = both(keyword, base[keyword], value);
      }
    }
  }
  for (const schema of schemas) forbid(base, schema["not"]);
  return { base, choices, conditions };
}

/** The schema again, without one of its choices or conditions. */
export function without(
  { base, choices, conditions }: Merged,
  taken: Choice | JsonObject,
): JsonObject {
  const others = choices
    .filter((choice) => choice !== taken)
    .map(({ keyword, branches }) => ({ [keyword]: branches }) as JsonObject);
  const left = conditions
    .filter((condition) => condition !== taken)
    .map((schema) => {
      const kept = ["if", "then", "else"].filter((keyword) => keyword in schema);
      return Object.fromEntries(kept.map((keyword) => [keyword, schema[keyword] as JsonValue]));
    });
  return { ...base, allOf: [...others, ...left] };
}

function both(keyword: string, before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (before === undefined) return value;
  if (typeof before === "number" && typeof value === "number") {
    if (lowerBounds.has(keyword)) return Math.max(before, value);
    if (upperBounds.has(keyword)) return Math.min(before, value);
    if (keyword === "multipleOf") return before * value;
  }
  if (keyword === "type") return commonTypes(before, value);
  if (Array.isArray(before) && Array.isArray(value)) {
    if (keyword === "required") return [...new Set([...before, ...value])] as JsonValue[];
    if (keyword === "enum") return common(before, value);
  }
  if (isObject(before) && isObject(value) && isMapOfSchemas(keyword)) return joined(before, value);
  if (keyword === "items" || keyword === "additionalProperties" || keyword === "propertyNames") {
    return intersection(before, value);
  }
  return value;
}

function isMapOfSchemas(keyword: string): boolean {
  return ["properties", "patternProperties", "dependentSchemas", "dependentRequired"].includes(
    keyword,
  );
}

function joined(before: JsonObject, value: JsonObject): JsonObject {
  const entries = new Map(Object.entries(before));
  for (const [name, member] of Object.entries(value)) {
    const known = entries.get(name);
    entries.set(name, known === undefined ? member : intersection(known, member));
  }
  return Object.fromEntries(entries);
}

function intersection(one: JsonValue, other: JsonValue): JsonValue {
  if (Array.isArray(one) && Array.isArray(other)) return [...new Set([...one, ...other])];
  if (one === false || other === false) return false;
  if (!isObject(one)) return other;
  return isObject(other) ? { allOf: [one, other] } : one;
}

function commonTypes(before: JsonValue, value: JsonValue): JsonValue {
  const types = typesOf({ type: before });
  const others = typesOf({ type: value });
  const kept = types.filter((type) => others.includes(type));
  const whole = [...types, ...others].includes("integer") && !kept.includes("number");
  const numeric = [types, others].every((list) => list.some(isNumeric));
  return whole && numeric && !kept.includes("integer") ? [...kept, "integer"] : kept;
}

function isNumeric(type: string): boolean {
  return type === "integer" || type === "number";
}

function common(before: readonly JsonValue[], value: readonly JsonValue[]): JsonValue[] {
  const texts = new Set(value.map((member) => JSON.stringify(member)));
  return before.filter((member) => texts.has(JSON.stringify(member)));
}

/** The simple cases of `not`, which chance would seldom meet. */
function forbid(base: Record<string, JsonValue>, not: JsonValue | undefined): void {
  if (!isObject(not)) return;
  const keywords = Object.keys(not);
  const only = keywords.length === 1 ? keywords[0] : undefined;
  if (only === "required" && Array.isArray(not["required"]) && not["required"].length === 1) {
    const [name] = not["required"] as string[];
    const properties = isObject(base["properties"]) ? base["properties"] : {};
    base["properties"] = Object.fromEntries([...Object.entries(properties), [name, false]]);
  }
  if (only === "type" && base["type"] !== undefined) {
    const types = typesOf(not);
    base["type"] = typesOf(base).filter((type) => !types.includes(type));
  }
  const members = only === "enum" ? not["enum"] : only === "const" ? [not["const"]] : undefined;
  if (Array.isArray(members) && Array.isArray(base["enum"])) {
    const texts = new Set(members.map((member) => JSON.stringify(member)));
    base["enum"] = base["enum"].filter((member: JsonValue) => !texts.has(JSON.stringify(member)));
  }
}
