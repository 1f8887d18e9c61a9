import type { JsonSchema, JsonValue } from "@toolweave/core";
import { isObject, isSchema } from "./subschemas.ts";

type Shape = readonly [is: (value: JsonValue) => boolean, what: string];

/** The values of `type`. */
export const schemaTypes: ReadonlySet<string> = new Set([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

const isText = (value: JsonValue): boolean => typeof value === "string";
const isCount = (value: JsonValue): boolean => Number.isInteger(value) && Number(value) >= 0;
const isListOf =
  (is: (value: JsonValue) => boolean) =>
  (value: JsonValue): boolean =>
    Array.isArray(value) && (value as readonly JsonValue[]).every(is);
const isMapOf =
  (is: (value: JsonValue) => boolean) =>
  (value: JsonValue): boolean =>
    isObject(value) && Object.values(value).every(is);

const number: Shape = [(value) => typeof value === "number", "a number"];
const count: Shape = [isCount, "a whole number of 0 or more"];
const schema: Shape = [isSchema, "a schema"];
const schemas: Shape = [
  (value) => isListOf(isSchema)(value) && (value as readonly JsonValue[]).length > 0,
  "a list of schemas",
];
const named: Shape = [isMapOf(isSchema), "an object of schemas"];
const text: Shape = [isText, "a text"];
const flag: Shape = [(value) => typeof value === "boolean", "true or false"];

/** The shape of each keyword's value (JSON Schema 2020-12, the vocabularies of its meta-schema). */
const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["$defs", named],
  ["$ref", text],
  ["additionalProperties", schema],
  ["allOf", schemas],
  ["anyOf", schemas],
  ["contains", schema],
  ["dependentRequired", [isMapOf(isListOf(isText)), "an object of lists of names"]],
  ["dependentSchemas", named],
  ["description", text],
  ["else", schema],
  ["enum", [Array.isArray, "a list"]],
  ["exclusiveMaximum", number],
  ["exclusiveMinimum", number],
  ["format", text],
  ["if", schema],
  ["items", schema],
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
  ["multipleOf", [(value) => typeof value === "number" && value > 0, "a number above 0"]],
  ["not", schema],
  ["oneOf", schemas],
  ["pattern", text],
  ["patternProperties", named],
  ["prefixItems", schemas],
  ["properties", named],
  ["propertyNames", schema],
  ["required", [isListOf(isText), "a list of names"]],
  ["then", schema],
  ["title", text],
  [
    "type",
    [
      (value) => isType(value) || (isListOf(isType)(value) && (value as []).length > 0),
      "a type, or a list of types",
    ],
  ],
  ["unevaluatedItems", schema],
  ["unevaluatedProperties", schema],
  ["uniqueItems", flag],
]);

function isType(value: JsonValue): boolean {
  return typeof value === "string" && schemaTypes.has(value);
}

/** The first keyword of one schema with a value that is none of its kind, and what it should be. */
export function misshapenKeyword(
  node: JsonSchema,
): { readonly keyword: string; readonly message: string } | undefined {
  for (const [keyword, value] of Object.entries(node)) {
    const shape = shapes.get(keyword);
    if (shape === undefined || shape[0](value)) continue;
    return { keyword, message: `${keyword} is not ${shape[1]}.` };
  }
  return undefined;
}
