import { isRecord } from "./record.ts";

/** What kind of value a keyword has, and so how it is translated. */
export type KeywordKind =
  | "schema"
  | "condition"
  | "branches"
  | "tuple"
  | "named"
  | "conditionsByName"
  | "items"
  | "text"
  | "pattern"
  | "number"
  | "factor"
  | "bound"
  | "count"
  | "flag"
  | "any"
  | "type"
  | "enum"
  | "required"
  | "requiredByName"
  | "examples";

/**
 * The keywords of JSON Schema 2020-12 that a translated schema can have. What is not here is left
 * out: other dialects' keywords, which are translated, OpenAPI's own, `x-` extensions, and
 * identifiers, since every reference becomes one into `$defs`.
 */
const kinds: ReadonlyMap<string, KeywordKind> = new Map<string, KeywordKind>([
  ["type", "type"],
  ["description", "text"],
  ["title", "text"],
  ["properties", "named"],
  ["items", "items"],
  ["required", "required"],
  ["enum", "enum"],
  ["format", "text"],
  ["default", "any"],
  ["const", "any"],
  ["examples", "examples"],
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
  ["dependentRequired", "requiredByName"],
  ["minimum", "number"],
  ["maximum", "number"],
  ["exclusiveMinimum", "bound"],
  ["exclusiveMaximum", "bound"],
  ["multipleOf", "factor"],
  ["minLength", "count"],
  ["maxLength", "count"],
  ["minItems", "count"],
  ["maxItems", "count"],
  ["minProperties", "count"],
  ["maxProperties", "count"],
  ["minContains", "count"],
  ["maxContains", "count"],
  ["uniqueItems", "flag"],
  ["deprecated", "flag"],
  ["readOnly", "flag"],
  ["writeOnly", "flag"],
  ["pattern", "pattern"],
  ["contentEncoding", "text"],
  ["contentMediaType", "text"],
]);

/** The kind of a keyword; undefined for what a translated schema does not have. */
export function keywordKind(keyword: string): KeywordKind | undefined {
  return kinds.get(keyword);
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
]);

/** True for keywords that describe and don't constrain. */
export function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword);
}

const typeNames: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);

/** A `type` of 2020-12. `file` is Swagger 2.0's; an unquoted `null` is YAML's. */
export function translateType(value: unknown): unknown {
  if (!Array.isArray(value)) {
    return typeNames.has(value) ? value : value === "file" ? "string" : undefined;
  }
  if (value.every((name) => typeNames.has(name)) && isDistinct(value)) {
    return value.length === 0 ? undefined : value.length === 1 ? value[0] : value;
  }
  const names = new Set(value.map((name: unknown) => translateType(name === null ? "null" : name)));
  names.delete(undefined);
  return translateType([...names].filter((name) => !Array.isArray(name)));
}

/** The value of a keyword that holds no schema; undefined when it means nothing in 2020-12. */
export function translateValue(kind: KeywordKind, value: unknown): unknown {
  switch (kind) {
    case "text":
      return typeof value === "string" ? value : undefined;
    case "pattern":
      return isPattern(value) ? value : undefined;
    case "flag":
      return typeof value === "boolean" ? value : undefined;
    case "number":
      return numeric(value);
    case "factor":
      return (numeric(value) ?? 0) > 0 ? numeric(value) : undefined;
    case "count": {
      const count = numeric(value);
      return count !== undefined && Number.isInteger(count) && count >= 0 ? count : undefined;
    }
    case "type":
      return translateType(value);
    case "enum":
      if (!Array.isArray(value) || value.length === 0) return undefined;
      return isDistinct(value) ? value : [...new Set(value)];
    case "examples":
      return Array.isArray(value) ? value : undefined;
    case "requiredByName":
      return isRecord(value) && Object.values(value).every(isNames) ? value : undefined;
    default:
      return value;
  }
}

/** True for an array of distinct names. */
export function isNames(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.every((name) => typeof name === "string") &&
    isDistinct(value)
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

/** True for a regular expression of JavaScript, in `u` mode or, as older documents have it, not. */
export function isPattern(value: unknown): value is string {
  if (typeof value !== "string") return false;
  for (const flags of ["u", ""]) {
    try {
      RegExp(value, flags);
      return true;
    } catch {
      continue;
    }
  }
  return false;
}

// Documents that were YAML once quote numbers.
function numeric(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}
