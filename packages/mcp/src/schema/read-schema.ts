import type { JsonSchema } from "@toolweave/core";
import { isObject, namingKeywords } from "./schema-keywords.ts";

/** What `$schema` may say; nothing means 2020-12, as the protocol has it. */
const dialects =
  /^https?:\/\/json-schema\.org\/(?:schema|draft-0[4-7]\/schema|draft\/20(?:19-09|20-12)\/schema)#?$/;

const types: ReadonlySet<unknown> = new Set([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

/** Keywords with one schema. */
const one = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];

/** Keywords with a list of schemas, one at least. */
const lists = ["allOf", "anyOf", "oneOf", "prefixItems"];

const counts = ["maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"];

type Check = (value: unknown) => boolean;

const isSchema: Check = (value) => isObject(value) || typeof value === "boolean";
const isName: Check = (value) => typeof value === "string";
const isNames: Check = (value) => Array.isArray(value) && value.every(isName);
const isNumber: Check = (value) => typeof value === "number";
const isSchemas: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.every(isSchema);
const isSchemasByName: Check = (value) => isObject(value) && Object.values(value).every(isSchema);

/** What the value of a keyword has to be; others are annotations, of any value. */
const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...one.map((keyword): [string, Check] => [keyword, isSchema]),
  ...lists.map((keyword): [string, Check] => [keyword, isSchemas]),
  ...[...namingKeywords].map((keyword): [string, Check] => [keyword, isSchemasByName]),
  ...counts.map((keyword): [string, Check] => [
    keyword,
    (value) => Number.isInteger(value) && Number(value) >= 0,
  ]),
  ["$ref", isName],
  [
    "dependencies",
    (value) =>
      isObject(value) &&
      Object.values(value).every((member) => isSchema(member) || isNames(member)),
  ],
  ["enum", Array.isArray],
  ["exclusiveMaximum", isNumber],
  ["exclusiveMinimum", isNumber],
  ["items", (value) => isSchema(value) || (Array.isArray(value) && value.every(isSchema))],
  ["maximum", isNumber],
  ["minimum", isNumber],
  ["multipleOf", (value) => Number(value) > 0 && isNumber(value)],
  ["pattern", isName],
  ["required", isNames],
  [
    "type",
    (value) => types.has(value) || (Array.isArray(value) && value.every((part) => types.has(part))),
  ],
  ["uniqueItems", (value) => typeof value === "boolean"],
]);

/** What is known of a schema that can be one. */
export interface ReadSchema {
  /** Each pattern once. */
  readonly patterns: ReadonlySet<string>;
}

/**
 * Why nothing can be checked against the schema: an unknown dialect, or a keyword whose value makes no sense, with its
 * JSON pointer. For schemas within the budget.
 */
export function readSchema(schema: JsonSchema): ReadSchema | string {
  const { $schema } = schema;
  if ($schema !== undefined && !(typeof $schema === "string" && dialects.test($schema))) {
    return `is written in a dialect that is not known here (${JSON.stringify($schema).slice(0, 100)})`;
  }
  const patterns = new Set<string>();
  const parts: { readonly schema: unknown; readonly at: string }[] = [{ schema, at: "" }];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (!isObject(part.schema)) continue;
    for (const [keyword, value] of Object.entries(part.schema)) {
      const check = checks.get(keyword);
      const at = `${part.at}/${keyword}`;
      if (check === undefined) continue;
      if (!check(value)) return `has a value at ${at.slice(0, 200)} that ${keyword} cannot have`;
      if (keyword === "pattern") patterns.add(value as string);
      if (keyword === "patternProperties") {
        for (const pattern of Object.keys(value as object)) patterns.add(pattern);
      }
      // Texts and numbers among them are no schemas, and are passed over.
      if (namingKeywords.has(keyword)) {
        for (const [name, member] of Object.entries(value as object)) {
          parts.push({ schema: member, at: `${at}/${name}` });
        }
      } else if (Array.isArray(value) && (keyword === "items" || lists.includes(keyword))) {
        value.forEach((member, index) => parts.push({ schema: member, at: `${at}/${index}` }));
      } else if (keyword === "items" || one.includes(keyword)) {
        parts.push({ schema: value, at });
      }
    }
  }
  return { patterns };
}
