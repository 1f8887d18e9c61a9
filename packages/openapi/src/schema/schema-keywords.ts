import type { JsonSchema } from "@toolweave/core";
import { isRecord } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import { unicodePattern } from "./unicode-pattern.ts";

/** What the schemas or names under a keyword are for, where that matters to the translation. */
export type StructuralKeyword =
  /** One schema, for another value: an item, a property. */
  | "schema"
  /** One schema, for the same value. */
  | "condition"
  /** Schemas for the same value. */
  | "branches"
  /** Schemas for other values, in order. */
  | "tuple"
  /** Schemas for other values, by name. */
  | "named"
  /** Schemas for the same value, by name. */
  | "conditionsByName"
  | "items"
  | "required"
  /** What a reader is told. */
  | "wording"
  /** What a value must be. */
  | "data"
  | "minimum"
  | "maximum"
  | "exclusiveMinimum"
  | "exclusiveMaximum";

/** Gives the value that a keyword has in 2020-12; undefined when it means nothing there. */
export type ValueTranslator = (value: unknown) => unknown;

const typeNames: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);

/** `file` is Swagger 2.0's; an unquoted `null` is YAML's. */
const type: ValueTranslator = (value) => {
  if (!Array.isArray(value)) {
    return typeNames.has(value) ? value : value === "file" ? "string" : undefined;
  }
  if (value.every((name) => typeNames.has(name)) && isDistinct(value)) {
    return value.length === 0 ? undefined : value.length === 1 ? value[0] : value;
  }
  const names = new Set(value.map((name: unknown) => type(name === null ? "null" : name)));
  names.delete(undefined);
  return type([...names].filter((name) => !Array.isArray(name)));
};

const text: ValueTranslator = (value) => (typeof value === "string" ? value : undefined);
const flag: ValueTranslator = (value) => (typeof value === "boolean" ? value : undefined);
const note: ValueTranslator = (value) => (isBounded(value) ? value : undefined);
const notes: ValueTranslator = (value) =>
  Array.isArray(value) && isBounded(value) ? value : undefined;
const pattern: ValueTranslator = (value) =>
  typeof value === "string" ? unicodePattern(value) : undefined;

const factor: ValueTranslator = (value) => {
  const number = numeric(value);
  return number !== undefined && number > 0 ? number : undefined;
};

const count: ValueTranslator = (value) => {
  const number = numeric(value);
  return number !== undefined && Number.isInteger(number) && number >= 0 ? number : undefined;
};

/** The values of `enum`, without duplicates. */
export const choices: ValueTranslator = (value) => {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return isDistinct(value) ? value : [...new Set(value)];
};

const requiredByName: ValueTranslator = (value) =>
  isRecord(value) && Object.values(value).every(isNames) ? value : undefined;

/**
 * The keywords of JSON Schema 2020-12 that a translated schema can have. What is not here is left
 * out: other dialects' keywords, which are translated, OpenAPI's own, `x-` extensions, and
 * identifiers, since every reference becomes one into `$defs`.
 */
const keywords: ReadonlyMap<string, StructuralKeyword | ValueTranslator> = new Map<
  string,
  StructuralKeyword | ValueTranslator
>([
  ["type", type],
  ["description", "wording"],
  ["title", "wording"],
  ["properties", "named"],
  ["items", "items"],
  ["required", "required"],
  ["enum", "data"],
  ["format", text],
  ["default", note],
  ["const", "data"],
  ["examples", notes],
  ["allOf", "branches"],
  ["anyOf", "branches"],
  ["oneOf", "branches"],
  ["not", "condition"],
  ["if", "condition"],
  ["then", "condition"],
  ["else", "condition"],
  ["additionalProperties", "schema"],
  ["patternProperties", "named"],
  ["propertyNames", "schema"],
  ["unevaluatedProperties", "schema"],
  ["unevaluatedItems", "schema"],
  ["contains", "schema"],
  ["contentSchema", "schema"],
  ["prefixItems", "tuple"],
  ["dependentSchemas", "conditionsByName"],
  ["dependentRequired", requiredByName],
  ["minimum", "minimum"],
  ["maximum", "maximum"],
  ["exclusiveMinimum", "exclusiveMinimum"],
  ["exclusiveMaximum", "exclusiveMaximum"],
  ["multipleOf", factor],
  ["minLength", count],
  ["maxLength", count],
  ["minItems", count],
  ["maxItems", count],
  ["minProperties", count],
  ["maxProperties", count],
  ["minContains", count],
  ["maxContains", count],
  ["uniqueItems", flag],
  ["deprecated", flag],
  ["readOnly", flag],
  ["writeOnly", flag],
  // What core masks, as it does what is write-only.
  ["x-secret", flag],
  ["pattern", pattern],
  ["contentEncoding", text],
  ["contentMediaType", text],
]);

/** How a keyword is translated; undefined for what a translated schema does not have. */
export function keywordTranslation(
  keyword: string,
): StructuralKeyword | ValueTranslator | undefined {
  return keywords.get(keyword);
}

const annotations: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "deprecated",
  "examples",
  "example",
  "readOnly",
  "writeOnly",
  "x-secret",
]);

/** True for keywords that describe and don't constrain. */
export function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword);
}

/** True for a translated schema that accepts anything for all that it says. */
export function isUnconstrained(schema: JsonSchema | boolean): boolean {
  if (typeof schema === "boolean") return schema;
  return Object.entries(schema).every(
    ([keyword, value]) =>
      isAnnotation(keyword) ||
      (keyword === "allOf" && (value as readonly (JsonSchema | boolean)[]).every(isUnconstrained)),
  );
}

/** True for an array of distinct names. */
export function isNames(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.every((name) => typeof name === "string") && isDistinct(value)
  );
}

/** True when no primitive occurs twice. */
export function isDistinct(values: readonly unknown[]): boolean {
  if (values.length > 16) return new Set(values).size === values.length;
  for (let index = 1; index < values.length; index++) {
    if (values.indexOf(values[index]) !== index) return false;
  }
  return true;
}

const maxDataDepth = 100;
const maxDataParts = 100_000;

/** True for a value that can be written out: neither nested without end nor expanding to more than a schema may have. */
export function isBounded(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return partsBelow(value, 0) <= maxDataParts;
}

/** How many values an object or list holds; infinitely many where it is nested too deeply. */
function partsBelow(value: object, depth: number): number {
  if (depth >= maxDataDepth) return Infinity;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let parts = members.length;
  for (let index = 0; index < members.length && parts <= maxDataParts; index++) {
    const member = members[index];
    if (typeof member === "object" && member !== null) parts += partsBelow(member, depth + 1);
  }
  return parts;
}

/** A finite number; documents that were YAML once quote numbers. */
function numeric(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** A bound, which before OpenAPI 3.1 a boolean beside it makes exclusive; undefined: it is none, or another keyword has it. */
export function numericBound(
  keyword: "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum",
  value: unknown,
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonRecord,
): number | undefined {
  switch (keyword) {
    case "minimum":
      return exclusiveMinimum === true ? undefined : numeric(value);
    case "maximum":
      return exclusiveMaximum === true ? undefined : numeric(value);
    case "exclusiveMinimum":
      return numeric(value === true ? minimum : value);
    case "exclusiveMaximum":
      return numeric(value === true ? maximum : value);
  }
}
