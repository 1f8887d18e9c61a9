import type { JsonObject, JsonValue } from "@toolweave/core";
import fc from "fast-check";
import { isObject } from "@toolweave/core/adapter";
import { getTypes } from "./breaches.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import { collectConjuncts, References } from "./references.ts";
import { hasKnownFormat } from "./text-arbitrary.ts";
import { generateValues } from "./value-arbitrary.ts";

const maxDepth = 3;
const maxBoundaries = 400;
const maxItems = 1000;
const maxLength = 10_000;

/** A text that is longer than usual, but no burden. */
const longText = "long ".repeat(500);
const manyItems = 50;

/** Texts that programs often misinterpret. */
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

/**
 * Numbers for schemas without bounds. The largest one shows whether the tool allocates that much.
 */
const oddIntegers: readonly number[] = [0, -0, -1, 1, 100_000];
const oddNumbers: readonly number[] = [...oddIntegers, 0.1, 1e-7, 1e21];

/**
 * Variants of `base` with one value at a boundary of the schema: bounds, empty values, unusual
 * values. Some are invalid: validate them before use.
 */
export function generateBoundaries(schema: JsonObject, base: JsonObject): JsonObject[] {
  const references = new References(schema);
  const edges: JsonObject[] = [];
  for (const edge of objectEdges(
    mergeSchemas(collectConjuncts(schema, references)).base,
    references,
    base,
    0,
  )) {
    edges.push(edge);
    if (edges.length >= maxBoundaries) break;
  }
  return edges;
}

function* generateEdges(
  schema: JsonValue,
  references: References,
  depth: number,
): Iterable<JsonValue> {
  if (depth > maxDepth || !isObject(schema)) return;
  const { base, choices } = mergeSchemas(collectConjuncts(schema, references));
  for (const { branches } of choices) {
    for (const branch of branches) yield* generateEdges(branch, references, depth + 1);
  }
  if ("const" in base) return;
  if (Array.isArray(base["enum"])) return yield* base["enum"] as JsonValue[];
  for (const type of getTypes(base)) {
    if (type === "string") yield* textEdges(base);
    if (type === "integer" || type === "number") yield* numberEdges(base, type === "integer");
    if (type === "boolean") yield* [true, false];
    if (type === "null") yield null;
    if (type === "array") yield* listEdges(base, references, depth);
    if (type === "object") {
      const least = generateLeast(schema, references);
      if (isObject(least)) {
        yield least;
        yield* objectEdges(base, references, least, depth);
      }
    }
  }
}

function* textEdges(schema: JsonObject): Iterable<string> {
  // With a format, only texts of the format are meaningful, whatever a validator accepts.
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
  const least = generateLeast(items, references);
  const fewest = typeof schema["minItems"] === "number" ? schema["minItems"] : 1;
  const most = typeof schema["maxItems"] === "number" ? schema["maxItems"] : manyItems;
  for (const count of [fewest, Math.min(most, maxItems)]) {
    if (count > 0 && count <= maxItems) yield Array.from({ length: count }, () => least);
  }
  for (const item of generateEdges(items, references, depth + 1)) {
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
    for (const edge of generateEdges(property, references, depth + 1))
      yield withMember(base, name, edge);
  }
  if (!isObject(additional)) return;
  const least = generateLeast(additional, references);
  for (const name of oddNames) yield withMember(base, name, least);
  for (const edge of generateEdges(additional, references, depth + 1))
    yield withMember(base, "key", edge);
}

function generateLeast(schema: JsonValue, references: References): JsonValue {
  const values = generateValues(schema, references, "least", 1);
  return fc.sample(values, { seed: 1, numRuns: 1 })[0] ?? null;
}

function withMember(base: JsonObject, name: string, value: JsonValue): JsonObject {
  // `fromEntries` defines: assignment would set the prototype for `__proto__`.
  return Object.fromEntries([...Object.entries(base), [name, value]]);
}
