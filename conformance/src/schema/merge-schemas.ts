import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject, mergeKeyword, type SchemaNode } from "@toolweave/core/adapter";
import { getTypes } from "./breaches.ts";

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
        base[keyword] = combineKeyword(keyword, base[keyword], value);
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

function combineKeyword(
  keyword: string,
  before: JsonValue | undefined,
  value: JsonValue,
): JsonValue {
  if (before === undefined) return value;
  if (keyword === "multipleOf" && typeof before === "number" && typeof value === "number") {
    return before * value;
  }
  return mergeKeyword(keyword, before, value, intersect) ?? value;
}

function intersect(one: SchemaNode, other: SchemaNode): SchemaNode {
  if (one === false || other === false) return false;
  if (one === true) return other;
  return other === true ? one : { allOf: [one, other] };
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
