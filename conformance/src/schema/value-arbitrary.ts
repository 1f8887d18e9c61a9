import type { JsonObject, JsonValue } from "@toolweave/core";
import fc from "fast-check";
import type { Making, Values } from "./generation.ts";
import { hasType, typesOf } from "./breaches.ts";
import { conjuncts } from "./conjuncts.ts";
import { lists } from "./list-arbitrary.ts";
import { merge, without, type Choice, type Merged } from "./merged.ts";
import { numbers } from "./number-arbitrary.ts";
import { records } from "./record-arbitrary.ts";
import type { References } from "./references.ts";
import { isObject } from "./subschemas.ts";
import { texts } from "./text-arbitrary.ts";
import type { ValueStyle } from "./value-style.ts";

const maxDepth = 5;

/** Deeper than this only what is required is generated: large documents grow with each level. */
const maxOptionalDepth = 1;

/** The same where everything that has a name is wanted: arguments, their members, and theirs. */
const maxWholeDepth = 2;

const anything: Values = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer({ min: -1000, max: 1000 }),
  fc.boolean(),
  fc.constant(null),
);

/** Keywords that only one type has, for schemas that do not name it. */
const telling: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  [
    "object",
    ["properties", "required", "additionalProperties", "patternProperties", "minProperties"],
  ],
  ["array", ["items", "prefixItems", "minItems", "contains", "uniqueItems"]],
  ["string", ["pattern", "minLength", "maxLength", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/**
 * Values that a schema is likely to accept: what its keywords ask for one by one, at most five
 * levels deep. The validator has the last word.
 */
export function valuesOf(
  schema: JsonValue | undefined,
  references: References,
  style: ValueStyle = "any",
  depth = 0,
): Values {
  if (depth > maxDepth) return anything;
  const merged = merge(conjuncts(schema, references, true));
  const { base, choices, conditions } = merged;
  const types = typesOf(base);
  if ("const" in base) return fc.constant(base["const"] as JsonValue);
  const members = base["enum"];
  if (Array.isArray(members)) {
    const fitting = members.filter(
      (member: JsonValue) => types.length === 0 || hasType(member, types),
    );
    if (fitting.length > 0) return fc.constantFrom(...(fitting as JsonValue[]));
  }
  const of = (part: JsonValue): Values => valuesOf(part, references, style, depth + 1);
  const [choice] = choices;
  if (choice !== undefined) {
    return oneOf(branchesOf(merged, choice, references).map((branch) => of(branch)));
  }
  const [condition] = conditions;
  if (condition !== undefined) return conditional(merged, condition, of);
  const dependent = ownDependent(base);
  if (dependent !== undefined) return of(dependent);
  const named = types.length > 0 ? types : toldTypes(base);
  if (named.length === 0) return anything;
  const making: Making = {
    style,
    takesOptional:
      style !== "least" && depth <= (style === "whole" ? maxWholeDepth : maxOptionalDepth),
    isDeep: depth >= maxDepth,
    within: of,
  };
  return oneOf(named.map((type) => ofType(type, base, making)));
}

function ofType(type: string, schema: JsonObject, making: Making): Values {
  switch (type) {
    case "string":
      return texts(schema, making.style);
    case "integer":
    case "number":
      return numbers(schema, type === "integer", making.style);
    case "boolean":
      return fc.boolean();
    case "array":
      return lists(schema, making);
    case "object":
      return records(schema, making);
    default:
      return fc.constant(null);
  }
}

/** One schema for each branch; of `oneOf` also with a property that the other branches do not have. */
function branchesOf(merged: Merged, choice: Choice, references: References): JsonObject[] {
  const rest = without(merged, choice);
  const names = choice.branches.map((branch) => namesOf(branch, references));
  return choice.branches.flatMap((branch, index) => {
    if (branch === false) return [];
    const both: JsonObject = { allOf: isObject(branch) ? [rest, branch] : [rest] };
    if (choice.keyword === "anyOf") return [both];
    const others = names.filter((_, other) => other !== index);
    const own = names[index]?.find((name) => !others.some((list) => list.includes(name)));
    return own === undefined ? [both] : [both, { allOf: [rest, branch, { required: [own] }] }];
  });
}

function namesOf(schema: JsonValue, references: References): string[] {
  return conjuncts(schema, references).flatMap(({ properties }) =>
    isObject(properties) ? Object.keys(properties) : [],
  );
}

function conditional(
  merged: Merged,
  condition: JsonObject,
  of: (schema: JsonValue) => Values,
): Values {
  const rest = without(merged, condition);
  const { if: test = true, then = true, else: otherwise = true } = condition;
  const met: JsonObject = { allOf: [rest, test, then] };
  const unmet: JsonObject = { allOf: [rest, { not: test }, otherwise] };
  return oneOf([of(met), of(unmet)]);
}

/** The schema with what a property asks for that is required anyway. */
function ownDependent(base: JsonObject): JsonObject | undefined {
  const { dependentSchemas, required } = base;
  if (!isObject(dependentSchemas) || !Array.isArray(required)) return undefined;
  const name = Object.keys(dependentSchemas).find((name) => required.includes(name));
  if (name === undefined) return undefined;
  const others = Object.entries(dependentSchemas).filter(([other]) => other !== name);
  const rest = { ...base, dependentSchemas: Object.fromEntries(others) };
  return { allOf: [rest, dependentSchemas[name] as JsonValue] };
}

function toldTypes(base: JsonObject): string[] {
  const told = telling.find(([, keywords]) => keywords.some((keyword) => keyword in base));
  return told === undefined ? [] : [told[0]];
}

function oneOf(all: readonly Values[]): Values {
  const [only] = all;
  if (only === undefined) return anything;
  return all.length === 1 ? only : fc.oneof(...all);
}
