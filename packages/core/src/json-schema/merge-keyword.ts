import { canonicalJson } from "../json/canonical-json.ts";
import { isObject, type JsonObject, type JsonValue } from "../json/json.ts";
import { isSchemaNode, type SchemaNode } from "./subschemas.ts";

/** Merges two schemas of the same value. */
export type MergeSchemas = (a: SchemaNode, b: SchemaNode) => SchemaNode;

const lowerBounds: ReadonlySet<string> = new Set([
  "exclusiveMinimum",
  "minContains",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
]);
const upperBounds: ReadonlySet<string> = new Set([
  "exclusiveMaximum",
  "maxContains",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
]);

/**
 * Merges the values that a keyword has in two schemas of the same value, so that the result means both. Keywords that
 * depend on other keywords, such as `items` beside `prefixItems`, are the caller's concern.
 *
 * @param merge merges the schemas of one property, or of all items.
 * @returns undefined if no single value of the keyword can express both: a pattern, or types without a common one.
 */
export function mergeKeyword(
  keyword: string,
  a: JsonValue,
  b: JsonValue,
  merge: MergeSchemas,
): JsonValue | undefined {
  if (typeof a === "number" && typeof b === "number") {
    if (lowerBounds.has(keyword)) return Math.max(a, b);
    if (upperBounds.has(keyword)) return Math.min(a, b);
  }
  switch (keyword) {
    case "type":
      return intersectTypes([a].flat() as JsonValue[], [b].flat() as JsonValue[]);
    case "enum":
      return Array.isArray(a) && Array.isArray(b) ? intersectValues(a, b) : undefined;
    case "required":
      return unite(a, b);
    case "uniqueItems":
      return a === true || b === true;
    case "properties":
    case "patternProperties":
    case "dependentSchemas":
      return mergeMembers(a, b, (one, other) =>
        isSchemaNode(one) && isSchemaNode(other) ? merge(one, other) : undefined,
      );
    case "dependentRequired":
      return mergeMembers(a, b, unite);
    case "items":
    case "propertyNames":
    case "additionalProperties":
    case "unevaluatedProperties":
      return isSchemaNode(a) && isSchemaNode(b) ? merge(a, b) : undefined;
    default:
      return undefined;
  }
}

function unite(a: JsonValue, b: JsonValue): JsonValue | undefined {
  if (!Array.isArray(a) || !Array.isArray(b)) return undefined;
  return [...new Set<JsonValue>([...(a as JsonValue[]), ...(b as JsonValue[])])];
}

function intersectValues(
  a: readonly JsonValue[],
  b: readonly JsonValue[],
): readonly JsonValue[] | undefined {
  const known = new Set(b.map((value) => canonicalJson(value)));
  const common = a.filter((value) => known.has(canonicalJson(value)));
  return common.length === 0 ? undefined : common;
}

function intersectTypes(a: readonly JsonValue[], b: readonly JsonValue[]): JsonValue | undefined {
  const accepts = (types: readonly JsonValue[], type: JsonValue): boolean =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  const common = [...new Set([...a, ...b])].filter((type) => accepts(a, type) && accepts(b, type));
  return common.length > 1 ? common : common[0];
}

function mergeMembers(
  a: JsonValue,
  b: JsonValue,
  merge: (a: JsonValue, b: JsonValue) => JsonValue | undefined,
): JsonObject | undefined {
  if (!isObject(a) || !isObject(b)) return undefined;
  const members = new Map(Object.entries(a));
  for (const [name, member] of Object.entries(b)) {
    const known = members.get(name);
    members.set(name, known === undefined ? member : (merge(known, member) ?? known));
  }
  return Object.fromEntries(members);
}
