import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject, isSchemaNode, type SchemaNode } from "@toolweave/core/adapter";
import { fromValue } from "../../json/write-json.ts";
import { isSameJson, type FormNode, type ObjectNode } from "../../json/node.ts";
import { matchesPattern } from "./match-pattern.ts";
import { bothSchemas, schemaParts, type SchemaParts, type SchemaRoot } from "./schema-parts.ts";

/** A value of another type, or another constant, says more about the schema than a missing member. */
const weights = { type: 20, constant: 20, unknown: 3, missing: 2, bound: 1 } as const;
const maxDepth = 6;
/** Items of a list that are compared with their schema. */
const maxItems = 20;

/**
 * Estimates how far a value is from a schema: 0 means that it matches, as far as this test goes. It is for selecting a
 * branch and evaluating `if`, also of unfinished values; the check of arguments is the server's.
 */
export function countViolations(
  root: SchemaRoot,
  schema: SchemaNode | undefined,
  node: FormNode,
  depth = 0,
): number {
  if (depth > maxDepth) return 0;
  return violationsOfParts(root, schemaParts(root, schema), node, depth);
}

function violationsOfParts(
  root: SchemaRoot,
  parts: SchemaParts,
  node: FormNode,
  depth: number,
): number {
  if (parts.isImpossible) return weights.type;
  let count = violationsOfKeywords(root, parts.base, node, depth);
  for (const { branches } of parts.choices) {
    count += Math.min(...branches.map((branch) => countViolations(root, branch, node, depth + 1)));
  }
  for (const condition of parts.conditions) {
    const holds = countViolations(root, condition["if"] as SchemaNode, node, depth + 1) === 0;
    const next = condition[holds ? "then" : "else"];
    if (isSchemaNode(next)) count += countViolations(root, next, node, depth + 1);
  }
  for (const [name, schema] of parts.dependent) {
    if (node.kind === "object" && node.members.has(name)) {
      count += countViolations(root, schema, node, depth + 1);
    }
  }
  for (const schema of parts.excluded) {
    if (countViolations(root, schema, node, depth + 1) === 0) count += weights.constant;
  }
  return count;
}

function violationsOfKeywords(
  root: SchemaRoot,
  base: JsonObject,
  node: FormNode,
  depth: number,
): number {
  let count = 0;
  if (!hasType(node, base["type"])) count += weights.type;
  if ("const" in base && !isSameJson(fromValue(base["const"] as JsonValue), node)) {
    count += weights.constant;
  }
  const { enum: members } = base;
  if (
    Array.isArray(members) &&
    !(members as JsonValue[]).some((member) => isSameJson(fromValue(member), node))
  ) {
    count += weights.constant;
  }
  switch (node.kind) {
    case "text":
      return count + violationsOfText(base, node.text);
    case "number":
      return count + violationsOfNumber(base, Number(node.text));
    case "array": {
      const prefix = (base["prefixItems"] ?? []) as readonly SchemaNode[];
      const { items: rest, minItems, maxItems: max } = base;
      count += below(node.items.length, minItems) + above(node.items.length, max);
      for (const [index, item] of node.items.slice(0, maxItems).entries()) {
        const schema = prefix[index] ?? rest;
        if (isSchemaNode(schema)) count += countViolations(root, schema, item, depth + 1);
      }
      return count;
    }
    case "object":
      return count + violationsOfMembers(root, base, node, depth);
    default:
      return count;
  }
}

function violationsOfMembers(
  root: SchemaRoot,
  base: JsonObject,
  node: ObjectNode,
  depth: number,
): number {
  let count = below(node.members.size, base["minProperties"]);
  count += above(node.members.size, base["maxProperties"]);
  for (const name of stringsIn(base["required"])) {
    if (!node.members.has(name)) count += weights.missing;
  }
  for (const [name, member] of node.members) {
    const schema = memberSchema(base, name);
    if (schema === false) count += weights.unknown;
    else if (schema !== undefined) count += countViolations(root, schema, member, depth + 1);
  }
  return count;
}

function violationsOfText(base: JsonObject, text: string): number {
  const { pattern, minLength, maxLength } = base;
  let count = below(text.length, minLength) + above(text.length, maxLength);
  if (typeof pattern === "string" && matchesPattern(pattern, text) === false)
    count += weights.bound;
  return count;
}

function violationsOfNumber(base: JsonObject, value: number): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = base;
  let count = below(value, minimum) + above(value, maximum);
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum) count += weights.bound;
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum) count += weights.bound;
  return count;
}

function below(value: number, bound: unknown): number {
  return typeof bound === "number" && value < bound ? weights.bound : 0;
}

function above(value: number, bound: unknown): number {
  return typeof bound === "number" && value > bound ? weights.bound : 0;
}

/** Returns true if a node has one of the types of a schema. A draft has the type that it is meant to have. */
function hasType(node: FormNode, type: unknown): boolean {
  if (type === undefined) return true;
  const types = [type].flat();
  switch (node.kind) {
    case "text":
      return types.includes("string");
    case "number":
      return types.includes("number") || (types.includes("integer") && isInteger(node.text));
    case "literal":
      return types.includes(node.value === null ? "null" : "boolean");
    case "draft":
      return node.as !== "number" || types.includes("number") || types.includes("integer");
    default:
      return types.includes(node.kind);
  }
}

/** Integers beyond 2^53 are integers, whatever their digits; `1.0` is one, too (2020-12, section 6.1.1). */
function isInteger(text: string): boolean {
  return Number.isInteger(Number(text));
}

/**
 * The schema of a member: of `properties`, of the patterns that its name matches, or of the other members. Undefined:
 * any value.
 */
export function memberSchema(base: JsonObject, name: string): SchemaNode | undefined {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = base;
  const own =
    isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const found: SchemaNode[] = isSchemaNode(own) ? [own] : [];
  for (const [pattern, schema] of Object.entries(
    isObject(patternProperties) ? patternProperties : {},
  )) {
    if (isSchemaNode(schema) && matchesPattern(pattern, name) !== false) found.push(schema);
  }
  if (found.length === 1) return found[0];
  if (found.length > 1) return found.reduce(bothSchemas);
  for (const others of [additionalProperties, unevaluatedProperties]) {
    if (isSchemaNode(others)) return others;
  }
  return undefined;
}

/** The strings of a list, such as `required`. */
export function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.filter((item): item is string => typeof item === "string")
    : [];
}
