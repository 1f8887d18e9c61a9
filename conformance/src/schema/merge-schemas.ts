import type { JsonObject, JsonValue } from "@toolweave/core";
import { getTypes } from "./breaches.ts";
import { isObject } from "./subschemas.ts";

/** The combination of several schemas of the same value. */
export interface MergedSchema {
  /** The unconditional keywords, each combined from all schemas. */
  readonly base: JsonObject;
  /** Lists of schemas of which one has to match. */
  readonly choices: readonly SchemaChoice[];
  readonly conditions: readonly JsonObject[];
}

/** `anyOf` or `oneOf`. */
export interface SchemaChoice {
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

/** Combines several schemas. Contradictions are left to the validator. */
export function mergeSchemas(schemas: readonly JsonObject[]): MergedSchema {
  const base: Record<string, JsonValue> = {};
  const choices: SchemaChoice[] = [];
  const conditions: JsonObject[] = [];
  for (const schema of schemas) {
    for (const [keyword, value] of Object.entries(schema)) {
      if (references.has(keyword) || keyword === "then" || keyword === "else") continue;
      if (keyword === "anyOf" || keyword === "oneOf") {
        if (Array.isArray(value) && value.length > 0) choices.push({ keyword, branches: value });
      } else if (keyword === "if") {
        conditions.push(schema);
      } else {
        base[keyword] = mergeKeyword(keyword, base[keyword], value);
      }
    }
  }
  for (const schema of schemas) applyNot(base, schema["not"]);
  return { base, choices, conditions };
}

/** The schema without one of its choices or conditions. */
export function withoutPart(
  { base, choices, conditions }: MergedSchema,
  taken: SchemaChoice | JsonObject,
): JsonObject {
  const others = choices
    .filter((choice) => choice !== taken)
    .map(({ keyword, branches }) => ({ [keyword]: branches }) as JsonObject);
  const left = conditions
    .filter((condition) => condition !== taken)
    .map((schema) => {
      const common = ["if", "then", "else"].filter((keyword) => keyword in schema);
      return Object.fromEntries(common.map((keyword) => [keyword, schema[keyword] as JsonValue]));
    });
  return { ...base, allOf: [...others, ...left] };
}

function mergeKeyword(keyword: string, before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (before === undefined) return value;
  if (typeof before === "number" && typeof value === "number") {
    if (lowerBounds.has(keyword)) return Math.max(before, value);
    if (upperBounds.has(keyword)) return Math.min(before, value);
    if (keyword === "multipleOf") return before * value;
  }
  if (keyword === "type") return intersectTypes(before, value);
  if (Array.isArray(before) && Array.isArray(value)) {
    if (keyword === "required") return [...new Set([...before, ...value])] as JsonValue[];
    if (keyword === "enum") return intersectLists(before, value);
  }
  if (isObject(before) && isObject(value) && isMapOfSchemas(keyword))
    return mergeMaps(before, value);
  if (keyword === "items" || keyword === "additionalProperties" || keyword === "propertyNames") {
    return intersect(before, value);
  }
  return value;
}

function isMapOfSchemas(keyword: string): boolean {
  return ["properties", "patternProperties", "dependentSchemas", "dependentRequired"].includes(
    keyword,
  );
}

function mergeMaps(before: JsonObject, value: JsonObject): JsonObject {
  const entries = new Map(Object.entries(before));
  for (const [name, member] of Object.entries(value)) {
    const known = entries.get(name);
    entries.set(name, known === undefined ? member : intersect(known, member));
  }
  return Object.fromEntries(entries);
}

function intersect(one: JsonValue, other: JsonValue): JsonValue {
  if (Array.isArray(one) && Array.isArray(other)) return [...new Set([...one, ...other])];
  if (one === false || other === false) return false;
  if (!isObject(one)) return other;
  return isObject(other) ? { allOf: [one, other] } : one;
}

function intersectTypes(before: JsonValue, value: JsonValue): JsonValue {
  const types = getTypes({ type: before });
  const others = getTypes({ type: value });
  const common = types.filter((type) => others.includes(type));
  const whole = [...types, ...others].includes("integer") && !common.includes("number");
  const numeric = [types, others].every((list) => list.some(isNumeric));
  return whole && numeric && !common.includes("integer") ? [...common, "integer"] : common;
}

function isNumeric(type: string): boolean {
  return type === "integer" || type === "number";
}

function intersectLists(before: readonly JsonValue[], value: readonly JsonValue[]): JsonValue[] {
  const texts = new Set(value.map((member) => JSON.stringify(member)));
  return before.filter((member) => texts.has(JSON.stringify(member)));
}

/** Applies the simple cases of `not`, which random values seldom satisfy. */
function applyNot(base: Record<string, JsonValue>, not: JsonValue | undefined): void {
  if (!isObject(not)) return;
  const keywords = Object.keys(not);
  const only = keywords.length === 1 ? keywords[0] : undefined;
  if (only === "required" && Array.isArray(not["required"]) && not["required"].length === 1) {
    const [name] = not["required"] as string[];
    const properties = isObject(base["properties"]) ? base["properties"] : {};
    base["properties"] = Object.fromEntries([...Object.entries(properties), [name, false]]);
  }
  if (only === "type" && base["type"] !== undefined) {
    const types = getTypes(not);
    base["type"] = getTypes(base).filter((type) => !types.includes(type));
  }
  const members = only === "enum" ? not["enum"] : only === "const" ? [not["const"]] : undefined;
  if (Array.isArray(members) && Array.isArray(base["enum"])) {
    const texts = new Set(members.map((member) => JSON.stringify(member)));
    base["enum"] = base["enum"].filter((member: JsonValue) => !texts.has(JSON.stringify(member)));
  }
}
