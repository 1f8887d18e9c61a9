import type { JsonObject, JsonValue } from "@toolweave/core";
import fc from "fast-check";
import { getItemSchemas, isObject } from "@toolweave/core/adapter";
import type { GenerationSettings, Values } from "./generation-settings.ts";

/** Generates arrays that match a schema. */
export function generateLists(schema: JsonObject, making: GenerationSettings): Values {
  const { style, isAtMaxDepth: isDeep } = making;
  const { prefix, rest = schema["unevaluatedItems"] !== false } = getItemSchemas(schema);
  const first = prefix.map((item) => making.generateNested(item));
  const least = Math.max(0, numberOr(schema["minItems"], 0) - first.length);
  const most = Math.max(least, numberOr(schema["maxItems"], Infinity) - first.length);
  const usual = style === "least" || isDeep ? least : least + 3;
  const isFilled = (style === "ordinary" || style === "whole") && !isDeep;
  const minLength = isFilled ? Math.min(Math.max(1, least), most) : least;
  const maxLength = rest === false ? 0 : Math.max(minLength, Math.min(most, usual));
  const contained = getContained(schema);
  const among = contained === undefined ? 0 : Math.max(1, numberOr(schema["minContains"], 1));
  const others = Math.max(0, maxLength - among);
  const range = { minLength: Math.min(Math.max(0, minLength - among), others), maxLength: others };
  const items = making.generateNested(rest === false ? true : rest);
  const all: fc.Arbitrary<JsonValue[]>[] = [
    schema["uniqueItems"] === true
      ? fc.uniqueArray(items, { ...range, selector: (item) => JSON.stringify(item) })
      : fc.array(items, range),
  ];
  if (first.length > 0) all.unshift(fc.tuple(...first));
  if (contained !== undefined && most >= among) {
    const parts = isObject(rest) ? { allOf: [rest, contained] } : contained;
    all.push(fc.array(making.generateNested(parts), { minLength: among, maxLength: among }));
  }
  return fc.tuple(...all).map((lists) => lists.flat() as JsonValue[]);
}

function getContained(schema: JsonObject): JsonObject | undefined {
  const { contains } = schema;
  return isObject(contains) && schema["minContains"] !== 0 ? contains : undefined;
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}
