import type { JsonObject, JsonValue } from "@toolweave/core";
import fc from "fast-check";
import { typesOf } from "./breaches.ts";
import { conjuncts } from "./conjuncts.ts";
import { merge } from "./merged.ts";
import { References } from "./references.ts";
import { isObject } from "./subschemas.ts";
import { hasKnownFormat } from "./text-arbitrary.ts";
import { valuesOf } from "./value-arbitrary.ts";

const maxDepth = 3;
const maxBoundaries = 400;
const maxItems = 1000;
const maxLength = 10_000;

/** Longer than what one sends every day, and no burden. */
const longText = "long ".repeat(500);
const manyItems = 50;

/** What texts can hold that some program takes for something else. */
const oddTexts: readonly string[] = [
  "",
  " ",
  "0",
  "null",
  "'\"`\\ ${x} %s",
  "one\r\ntwo\n\tthree",
  "\0",
  "../..",
  "__proto__",
  "𝒳 👩‍👩‍👧 e\u0301",
  "\u202eשלום",
  longText,
];

const oddNames: readonly string[] = ["constructor", "__proto__", "", "a.b[0]/c~ä"];

/** Where no bound is named: nobody may have thought of allocating that much. */
const oddIntegers: readonly number[] = [0, -0, -1, 1, 100_000];
const oddNumbers: readonly number[] = [...oddIntegers, 0.1, 1e-7, 1e21];

/**
 * Objects like `base` with one place at an edge of what the schema allows: bounds, what is empty, what
 * is odd. Some are not valid: the validator has the last word.
 */
export function boundariesOf(schema: JsonObject, base: JsonObject): JsonObject[] {
  const references = new References(schema);
  const edges: JsonObject[] = [];
  for (const edge of objectEdges(merge(conjuncts(schema, references)).base, references, base, 0)) {
    edges.push(edge);
    if (edges.length >= maxBoundaries) break;
  }
  return edges;
}

function* edgesOf(schema: JsonValue, references: References, depth: number): Iterable<JsonValue> {
  if (depth > maxDepth || !isObject(schema)) return;
  const { base, choices } = merge(conjuncts(schema, references));
  for (const { branches } of choices) {
    for (const branch of branches) yield* edgesOf(branch, references, depth + 1);
  }
  if ("const" in base) return;
  if (Array.isArray(base["enum"])) return yield* base["enum"] as JsonValue[];
  for (const type of typesOf(base)) {
    if (type === "string") yield* textEdges(base);
    if (type === "integer" || type === "number") yield* numberEdges(base, type === "integer");
    if (type === "boolean") yield* [true, false];
    if (type === "null") yield null;
    if (type === "array") yield* listEdges(base, references, depth);
    if (type === "object") {
      const least = leastOf(schema, references);
      if (isObject(least)) {
        yield least;
        yield* objectEdges(base, references, least, depth);
      }
    }
  }
}

function* textEdges(schema: JsonObject): Iterable<string> {
  // With a format only what has the format means anything, whatever a validator says.
  if (hasKnownFormat(schema)) return;
  const { minLength, maxLength: longest } = schema;
  if (typeof minLength === "number" && minLength < maxLength) yield "x".repeat(minLength);
  if (typeof longest === "number" && longest <= maxLength) yield "x".repeat(longest);
  yield* oddTexts;
}

function* numberEdges(schema: JsonObject, whole: boolean): Iterable<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = typeof multipleOf === "number" ? multipleOf : whole ? 1 : 0.5;
  if (typeof minimum === "number") yield minimum;
  if (typeof maximum === "number") yield maximum;
  if (typeof exclusiveMinimum === "number") yield exclusiveMinimum + step;
  if (typeof exclusiveMaximum === "number") yield exclusiveMaximum - step;
  yield* whole ? oddIntegers : oddNumbers;
}

function* listEdges(
  schema: JsonObject,
  references: References,
  depth: number,
): Iterable<JsonValue> {
  yield [];
  const items = schema["items"] ?? true;
  if (!isObject(items)) return;
  const least = leastOf(items, references);
  const fewest = typeof schema["minItems"] === "number" ? schema["minItems"] : 1;
  const most = typeof schema["maxItems"] === "number" ? schema["maxItems"] : manyItems;
  for (const count of [fewest, Math.min(most, maxItems)]) {
    if (count > 0 && count <= maxItems) yield Array.from({ length: count }, () => least);
  }
  for (const item of edgesOf(items, references, depth + 1)) {
    yield Array.from({ length: Math.max(1, Math.min(fewest, maxItems)) }, () => item);
  }
}

function* objectEdges(
  schema: JsonObject,
  references: References,
  base: JsonObject,
  depth: number,
): Iterable<JsonObject> {
  const { properties, additionalProperties: additional } = schema;
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    for (const edge of edgesOf(property, references, depth + 1)) yield withMember(base, name, edge);
  }
  if (!isObject(additional)) return;
  const least = leastOf(additional, references);
  for (const name of oddNames) yield withMember(base, name, least);
  for (const edge of edgesOf(additional, references, depth + 1))
    yield withMember(base, "key", edge);
}

function leastOf(schema: JsonValue, references: References): JsonValue {
  const values = valuesOf(schema, references, "least", 1);
  return fc.sample(values, { seed: 1, numRuns: 1 })[0] ?? null;
}

function withMember(base: JsonObject, name: string, value: JsonValue): JsonObject {
  // `fromEntries` defines: assignment would set the prototype for `__proto__`.
  return Object.fromEntries([...Object.entries(base), [name, value]]);
}
