import { isObject, type JsonSchema, type JsonValue } from "../json/json.ts";
import { isSchemaNode, subschemaKeywords } from "./subschemas.ts";

type Kind = readonly [isValid: (value: JsonValue) => boolean, expected: string];

/** The names of the types. */
export const schemaTypes: ReadonlySet<unknown> = new Set([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

const isNumber = (value: JsonValue): boolean => typeof value === "number";
const isString = (value: JsonValue): boolean => typeof value === "string";
const isNames = (value: JsonValue): boolean => Array.isArray(value) && value.every(isString);
const isList = (value: JsonValue): boolean => Array.isArray(value) && value.length > 0;
const isMapWith = (value: JsonValue, isMember: (value: JsonValue) => boolean): boolean =>
  isObject(value) && Object.values(value).every(isMember);

const schema: Kind = [isSchemaNode, "a schema"];
const schemas: Kind = [
  (value) => isList(value) && (value as readonly JsonValue[]).every(isSchemaNode),
  "a list of schemas",
];
const schemasByName: Kind = [(value) => isMapWith(value, isSchemaNode), "an object of schemas"];
const schemaOrList: Kind = [(value) => schema[0](value) || schemas[0](value), "a schema or a list"];
const dependencies: Kind = [
  (value) => isMapWith(value, (member) => isSchemaNode(member) || isNames(member)),
  "an object of schemas and lists of names",
];
const namesByName: Kind = [(value) => isMapWith(value, isNames), "an object of lists of names"];
const names: Kind = [isNames, "a list of names"];
const number: Kind = [isNumber, "a number"];
const factor: Kind = [(value) => isNumber(value) && Number(value) > 0, "a number above 0"];
const count: Kind = [
  (value) => Number.isInteger(value) && Number(value) >= 0,
  "a whole number of 0 or more",
];
const text: Kind = [isString, "a text"];
const numberOrFlag: Kind = [
  (value) => isNumber(value) || typeof value === "boolean",
  "a number, or true or false",
];
const flag: Kind = [(value) => typeof value === "boolean", "true or false"];
const list: Kind = [Array.isArray, "a list"];
const anything: Kind = [() => true, "a value"];
const type: Kind = [
  (value) =>
    schemaTypes.has(value) ||
    (isList(value) && (value as readonly JsonValue[]).every((name) => schemaTypes.has(name))),
  "a type, or a list of types",
];

const placements = {
  schema,
  schemaOrList,
  list: schemas,
  map: schemasByName,
} as const;

/** The kind of value of each keyword. */
const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...[...subschemaKeywords].map(([keyword, placement]): [string, Kind] => [
    keyword,
    placements[placement],
  ]),
  ["dependencies", dependencies],
  ["$anchor", text],
  ["$comment", text],
  ["$dynamicAnchor", text],
  ["$dynamicRef", text],
  ["$id", text],
  ["$ref", text],
  ["const", anything],
  ["contentEncoding", text],
  ["contentMediaType", text],
  ["default", anything],
  ["dependentRequired", namesByName],
  ["deprecated", flag],
  ["description", text],
  ["enum", list],
  ["examples", list],
  ["exclusiveMaximum", number],
  ["exclusiveMinimum", number],
  ["format", text],
  ["maxContains", count],
  ["maxItems", count],
  ["maxLength", count],
  ["maxProperties", count],
  ["maximum", number],
  ["minContains", count],
  ["minItems", count],
  ["minLength", count],
  ["minProperties", count],
  ["minimum", number],
  ["multipleOf", factor],
  ["pattern", text],
  ["readOnly", flag],
  ["required", names],
  ["title", text],
  ["type", type],
  ["uniqueItems", flag],
  ["writeOnly", flag],
]);

/** The keywords of draft-07, 2019-09 and 2020-12 for authors of schemas. */
export const keywords: readonly string[] = [...kinds.keys()];

/** Keywords whose members have arbitrary names, also those of keywords, and are schemas. */
export const mapKeywords: ReadonlySet<string> = new Set(
  [...subschemaKeywords].flatMap(([keyword, placement]) => (placement === "map" ? [keyword] : [])),
);

/** Keywords that describe a value and do not constrain it (2020-12 validation, section 9). */
export const metadataKeywords: ReadonlySet<string> = new Set([
  "default",
  "deprecated",
  "description",
  "examples",
  "readOnly",
  "title",
  "writeOnly",
]);

/** Keywords by the dialect that introduced them; before it, they may have any value. */
const introduced: ReadonlyMap<string, Dialect> = new Map<string, Dialect>([
  ["$anchor", "2019-09"],
  ["$defs", "2019-09"],
  ["$dynamicAnchor", "2020-12"],
  ["$dynamicRef", "2020-12"],
  ["const", "draft-06"],
  ["contains", "draft-06"],
  ["contentSchema", "2019-09"],
  ["dependentRequired", "2019-09"],
  ["dependentSchemas", "2019-09"],
  ["deprecated", "2019-09"],
  ["else", "draft-07"],
  ["if", "draft-07"],
  ["maxContains", "2019-09"],
  ["minContains", "2019-09"],
  ["prefixItems", "2020-12"],
  ["propertyNames", "draft-06"],
  ["then", "draft-07"],
  ["unevaluatedItems", "2019-09"],
  ["unevaluatedProperties", "2019-09"],
]);
const dialects: readonly Dialect[] = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"];

/** True if a dialect has a keyword, or if no dialect has. */
export function hasKeyword(dialect: Dialect, keyword: string): boolean {
  return dialects.indexOf(dialect) >= dialects.indexOf(introduced.get(keyword) ?? "draft-04");
}

/** A keyword with a value that it cannot have. */
export interface InvalidKeyword {
  readonly keyword: string;
  /** The kind of value that it has, such as `a list of names`. */
  readonly expected: string;
}

/**
 * Finds the first keyword of a schema whose value is not of its kind. The schemas below are not checked. A list of
 * `items`, and the keywords beside it, may be in any dialect, as validators permit.
 *
 * @param dialect default: 2020-12.
 */
export function findInvalidKeyword(
  node: JsonSchema,
  dialect: Dialect = "2020-12",
): InvalidKeyword | undefined {
  for (const keyword of Object.keys(node)) {
    const isFlag = dialect === "draft-04" && keyword.startsWith("exclusive");
    const kind = isFlag ? numberOrFlag : kinds.get(keyword);
    if (kind === undefined || kind[0](node[keyword] as JsonValue)) continue;
    if (hasKeyword(dialect, keyword)) return { keyword, expected: kind[1] };
  }
  return undefined;
}

/**
 * True when every keyword of a schema has a value of its kind, and every schema directly below it passes a test. False
 * does not mean that one is invalid: `findInvalidKeyword` decides that. This is faster, since it makes no objects.
 */
export function hasValidKeywords(
  node: JsonSchema,
  testSchema: (schema: JsonValue) => boolean,
): boolean {
  // Not `Object.keys`, which makes a list. An inherited keyword can only lead to the slower answer.
  for (const keyword in node) {
    const value = node[keyword] as JsonValue;
    const placement = subschemaKeywords.get(keyword);
    if (placement === undefined) {
      if (kinds.get(keyword)?.[0](value) === false) return false;
    } else if (placement === "map") {
      if (!isObject(value)) return false;
      for (const name in value) if (!testSchema(value[name] as JsonValue)) return false;
    } else if (placement !== "schema" && isList(value)) {
      if (!(value as readonly JsonValue[]).every(testSchema)) return false;
    } else if (placement === "list" || !testSchema(value)) return false;
  }
  return true;
}

// A separate file: the main entry needs it, but not the tables of keywords.

/** A version of JSON Schema. */
export type Dialect = "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12";

/** Returns the dialect that a value of `$schema` names; draft-03 is read as draft-04. Default: 2020-12. */
export function getDialect($schema: unknown): Dialect {
  if (typeof $schema !== "string") return "2020-12";
  const [, draft] = /\bdraft-0([3-7])\b/.exec($schema) ?? [];
  if (draft !== undefined)
    return draft === "7" ? "draft-07" : draft >= "5" ? "draft-06" : "draft-04";
  return $schema.includes("2019-09") ? "2019-09" : "2020-12";
}
