import { type JsonSchema, ajvValidator } from "@toolweave/core";
import { isObject, namingKeywords } from "./schema-keywords.ts";

/** Supported values of `$schema`; without one it is 2020-12, as in the protocol. */
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

/** Keywords with a list of at least one schema. */
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

/** Checks of keyword values. Other keywords are annotations with any value. */
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

/** Result of reading a valid schema. */
export interface ReadSchema {
  /** Unique patterns. */
  readonly patterns: ReadonlySet<string>;
}

/**
 * Reads a schema. Returns a text if values cannot be validated against it: an unknown dialect, or a keyword with an
 * invalid value, with its JSON pointer. For schemas within the budget.
 */
export function readSchema(schema: JsonSchema): ReadSchema | string {
  const { $schema } = schema;
  if ($schema !== undefined && !(typeof $schema === "string" && dialects.test($schema))) {
    return `has an unsupported dialect (${JSON.stringify($schema).slice(0, 100)})`;
  }
  const patterns = new Set<string>();
  const parts: { readonly schema: unknown; readonly at: string }[] = [{ schema, at: "" }];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (!isObject(part.schema)) continue;
    for (const [keyword, value] of Object.entries(part.schema)) {
      const check = checks.get(keyword);
      const at = `${part.at}/${keyword}`;
      if (check === undefined) continue;
      if (!check(value)) return `has an invalid value of ${keyword} at ${at.slice(0, 200)}`;
      if (keyword === "pattern") patterns.add(value as string);
      if (keyword === "patternProperties") {
        for (const pattern of Object.keys(value as object)) patterns.add(pattern);
      }
      // Members that are not schemas are skipped.
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

/** Milliseconds for the patterns of one list; the executor checks the rest when they are used. */
const maxMs = 500;

/** `invalid`: not a regular expression. `unbounded`: values are not checked against it. */
type PatternFault = "invalid" | "unbounded";

/**
 * Finds patterns that are invalid or cannot be checked in bounded time (see `ajvValidator`). Each is checked once;
 * those not reached in time count as valid.
 */
export class PatternFaults {
  readonly #known = new Map<string, PatternFault | undefined>();
  readonly #validator = ajvValidator();
  #spentMs = 0;

  /** Returns the faults of the patterns, by pattern. */
  async findFaults(patterns: Iterable<string>): Promise<ReadonlyMap<string, PatternFault>> {
    const faults = new Map<string, PatternFault>();
    for (const pattern of patterns) {
      if (!this.#known.has(pattern) && this.#spentMs <= maxMs) {
        const startedAt = performance.now();
        this.#known.set(pattern, await this.#check(pattern));
        this.#spentMs += performance.now() - startedAt;
      }
      const fault = this.#known.get(pattern);
      if (fault !== undefined) faults.set(pattern, fault);
    }
    return faults;
  }

  async #check(pattern: string): Promise<PatternFault | undefined> {
    try {
      const { unchecked } = await this.#validator.compile({ pattern });
      return unchecked === undefined ? undefined : "unbounded";
    } catch {
      return "invalid";
    }
  }
}
