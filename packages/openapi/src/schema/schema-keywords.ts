import type { JsonSchema, JsonValue } from "@toolweave/core";
import { getDialect, isSchemaNode, metadataKeywords, schemaTypes } from "@toolweave/core/adapter";
import { isRecord, setOwn, type JsonRecord } from "../document/record.ts";
import { toUnicodePattern } from "./unicode-pattern.ts";

/** The kind of the schemas or names under a keyword, for keywords whose values are translated. */
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
  /** A text for readers. */
  | "wording"
  /** A value that the instance must have. */
  | "data"
  | LimitKeyword;

/** A keyword whose value is a number with which values are compared. */
export type LimitKeyword =
  | "minimum"
  | "maximum"
  | "exclusiveMinimum"
  | "exclusiveMaximum"
  | "multipleOf";

/** Returns the value of a keyword in 2020-12; undefined if it has no meaning there. */
export type ValueTranslator = (value: unknown) => unknown;

/** `file` is from Swagger 2.0; an unquoted `null` is from YAML. */
export const translateType: ValueTranslator = (value) => {
  if (!Array.isArray(value)) {
    return schemaTypes.has(value) ? value : value === "file" ? "string" : undefined;
  }
  if (value.every((name) => schemaTypes.has(name)) && isDistinct(value)) {
    return value.length === 0 ? undefined : value.length === 1 ? value[0] : value;
  }
  const names = new Set(value.map((name: unknown) => translateType(name === null ? "null" : name)));
  names.delete(undefined);
  return translateType([...names].filter((name) => !Array.isArray(name)));
};

const text: ValueTranslator = (value) => (typeof value === "string" ? value : undefined);
const flag: ValueTranslator = (value) => (typeof value === "boolean" ? value : undefined);
const note: ValueTranslator = (value) =>
  isBounded(value) && !isRounded(value) ? value : undefined;
const notes: ValueTranslator = (value) =>
  Array.isArray(value) && isBounded(value) ? value : undefined;
const pattern: ValueTranslator = (value) =>
  typeof value === "string" ? toUnicodePattern(value) : undefined;

const count: ValueTranslator = (value) => {
  const number = parseNumber(value);
  return number !== undefined && Number.isInteger(number) && number >= 0 ? number : undefined;
};

/** Returns the values of `enum`, without duplicates. */
export const choices: ValueTranslator = (value) => {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return isDistinct(value) ? value : [...new Set(value)];
};

const requiredByName: ValueTranslator = (value) =>
  isRecord(value) && Object.values(value).every(isNames) ? value : undefined;

/**
 * The keywords of JSON Schema 2020-12 that a translated schema can have. All others are omitted: those of other
 * dialects, which are translated, those of OpenAPI, `x-` extensions, and identifiers, because every reference becomes
 * one into `$defs`.
 */
const keywords: ReadonlyMap<string, StructuralKeyword | ValueTranslator> = new Map<
  string,
  StructuralKeyword | ValueTranslator
>([
  ["type", translateType],
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
  ["multipleOf", "multipleOf"],
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
  // Core redacts such values, like write-only ones.
  ["x-secret", flag],
  ["pattern", pattern],
  ["contentEncoding", text],
  ["contentMediaType", text],
]);

/** Returns the translation of a keyword; undefined for one that a translated schema does not have. */
export function getKeywordTranslation(
  keyword: string,
): StructuralKeyword | ValueTranslator | undefined {
  return keywords.get(keyword);
}

const annotations: ReadonlySet<string> = new Set([...metadataKeywords, "example", "x-secret"]);

/** Returns true for keywords that describe and do not constrain. */
export function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword);
}

/** Returns true for a translated schema without constraints. */
export function isUnconstrained(schema: JsonSchema | boolean): boolean {
  if (typeof schema === "boolean") return schema;
  return Object.entries(schema).every(
    ([keyword, value]) =>
      isAnnotation(keyword) ||
      (keyword === "allOf" && (value as readonly (JsonSchema | boolean)[]).every(isUnconstrained)),
  );
}

/** Returns true for an array of distinct names. */
function isNames(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.every((name) => typeof name === "string") && isDistinct(value)
  );
}

/**
 * Returns true for an integer that the parser of the document may have rounded, and for a list with one: two of its
 * values may have become one, and none of them may be right.
 */
export function isRounded(value: unknown): boolean {
  if (!Array.isArray(value)) return Number.isInteger(value) && !Number.isSafeInteger(value);
  // Most values of an enum are texts.
  for (const item of value) if (typeof item !== "string" && isRounded(item)) return true;
  return false;
}

/** Returns true if no primitive occurs twice. */
export function isDistinct(values: readonly unknown[]): boolean {
  if (values.length > 16) return new Set(values).size === values.length;
  for (let index = 1; index < values.length; index++) {
    if (values.indexOf(values[index]) !== index) return false;
  }
  return true;
}

const maxDataDepth = 100;
const maxDataParts = 100_000;

/**
 * Returns true for a value that can be serialized: neither nested too deeply nor expanding to more parts than a schema
 * may have.
 */
export function isBounded(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return countParts(value, 0) <= maxDataParts;
}

/** Returns the number of values in an object or list; infinity if it is nested too deeply. */
function countParts(value: object, depth: number): number {
  if (depth >= maxDataDepth) return Infinity;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let parts = members.length;
  for (let index = 0; index < members.length && parts <= maxDataParts; index++) {
    const member = members[index];
    if (typeof member === "object" && member !== null) parts += countParts(member, depth + 1);
  }
  return parts;
}

/** Parses a finite number; documents that were converted from YAML may quote numbers. */
function parseNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/**
 * Returns a limit. Before OpenAPI 3.1, a boolean beside a bound makes it exclusive. Undefined if it is invalid, or if
 * another keyword has it.
 */
export function getNumericLimit(
  keyword: LimitKeyword,
  value: unknown,
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonRecord,
): number | undefined {
  switch (keyword) {
    case "minimum":
      return exclusiveMinimum === true ? undefined : parseNumber(value);
    case "maximum":
      return exclusiveMaximum === true ? undefined : parseNumber(value);
    case "exclusiveMinimum":
      return parseNumber(value === true ? minimum : value);
    case "exclusiveMaximum":
      return parseNumber(value === true ? maximum : value);
    case "multipleOf": {
      const factor = parseNumber(value);
      return factor !== undefined && factor > 0 ? factor : undefined;
    }
  }
}

/** Returns true for the limits of 64-bit integers, which are read as 2^63 and 2^64, and for limits beyond them. */
export function isTypeLimit(limit: number): boolean {
  return Math.abs(limit) === 2 ** 63 || Math.abs(limit) >= 2 ** 64;
}

/** Returns true for drafts 3 to 7 of JSON Schema, in which keywords beside `$ref` are ignored. */
export function isOldDialect(dialect: unknown): boolean {
  return getDialect(dialect).startsWith("draft");
}

/** Splits `dependencies` of drafts before 2019-09 into `dependentRequired` and `dependentSchemas`. */
export function splitDependencies(dependencies: JsonRecord): {
  readonly names: JsonRecord;
  readonly schemas: JsonRecord;
} {
  const members = Object.entries(dependencies);
  return {
    names: Object.fromEntries(members.filter(([, value]) => isNames(value))),
    schemas: Object.fromEntries(members.filter(([, value]) => isSchemaNode(value))),
  };
}

/**
 * Changes `oneOf` to `anyOf`. A request may match several branches: in documents, branches overlap, and a value that
 * matches more than one of them is not invalid.
 */
export function oneOfToAnyOf(schema: JsonSchema): JsonSchema {
  const { oneOf, anyOf, allOf } = schema;
  const open: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key !== "oneOf") setOwn(open, key, value);
    else if (anyOf === undefined) open["anyOf"] = value;
  }
  if (anyOf !== undefined) {
    open["allOf"] = [...((allOf ?? []) as JsonValue[]), { anyOf: oneOf as JsonValue }];
  }
  return open;
}

/**
 * Returns the branches of `oneOf`, where branches that accept any value only match if no other one does: otherwise
 * several would match.
 */
export function withExclusiveBranches(
  branches: readonly unknown[],
  anyValue: readonly number[],
): unknown[] {
  const known = branches.filter((_, index) => !anyValue.includes(index));
  if (anyValue.length === 0) return known;
  return [...known, known.length === 0 ? true : { not: { anyOf: known } }];
}
