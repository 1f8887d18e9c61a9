import type { JsonObject, JsonValue, JsonSchema } from "@toolweave/core";
import fc from "fast-check";
import { isObject, getItemSchemas } from "@toolweave/core/adapter";
import type { GenerationSettings, Values, ValueStyle } from "./generation-settings.ts";
import { hasType, getTypes } from "./breaches.ts";
import {
  mergeSchemas,
  withoutPart,
  type SchemaChoice,
  type MergedSchema,
} from "./merge-schemas.ts";
import { collectConjuncts, References } from "./references.ts";
import { generateNumbers } from "./number-arbitrary.ts";
import { generateRecords } from "./record-arbitrary.ts";
import { generateTexts } from "./text-arbitrary.ts";
import { numberOr } from "./keyword-values.ts";

const maxDepth = 5;

/** The maximum depth of optional properties, since large documents grow with each level. */
const maxOptionalDepth = 1;

/**
 * The maximum depth of optional properties in the style `whole`: arguments, their members, and
 * theirs.
 */
const maxWholeDepth = 2;

const anything: Values = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer({ min: -1000, max: 1000 }),
  fc.boolean(),
  fc.constant(null),
);

/** Keywords of a single type, for schemas that do not name it. */
const keywordsByType: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  [
    "object",
    ["properties", "required", "additionalProperties", "patternProperties", "minProperties"],
  ],
  ["array", ["items", "prefixItems", "minItems", "contains", "uniqueItems"]],
  ["string", ["pattern", "minLength", "maxLength", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/**
 * Generates values that a schema is likely to accept, from its keywords, at most five levels deep.
 * Validate them before use.
 */
export function generateValues(
  schema: JsonValue | undefined,
  references: References,
  style: ValueStyle = "any",
  depth = 0,
): Values {
  if (depth > maxDepth) return anything;
  const merged = mergeSchemas(collectConjuncts(schema, references, true));
  const { base, choices, conditions } = merged;
  const types = getTypes(base);
  if ("const" in base) return fc.constant(base["const"] as JsonValue);
  const members = base["enum"];
  if (Array.isArray(members)) {
    const fitting = members.filter(
      (member: JsonValue) => types.length === 0 || hasType(member, types),
    );
    if (fitting.length > 0) return fc.constantFrom(...(fitting as JsonValue[]));
  }
  const of = (part: JsonValue): Values => generateValues(part, references, style, depth + 1);
  const [choice] = choices;
  if (choice !== undefined) {
    return oneOf(combineBranches(merged, choice, references).map((branch) => of(branch)));
  }
  const [condition] = conditions;
  if (condition !== undefined) return generateConditional(merged, condition, of);
  const dependent = addDependentSchema(base);
  if (dependent !== undefined) return of(dependent);
  const named = types.length > 0 ? types : inferTypes(base);
  if (named.length === 0) return anything;
  const making: GenerationSettings = {
    style,
    withOptional:
      style !== "least" && depth <= (style === "whole" ? maxWholeDepth : maxOptionalDepth),
    isAtMaxDepth: depth >= maxDepth,
    generateNested: of,
  };
  return oneOf(named.map((type) => generateByType(type, base, making)));
}

function generateByType(type: string, schema: JsonObject, making: GenerationSettings): Values {
  switch (type) {
    case "string":
      return generateTexts(schema, making.style);
    case "integer":
    case "number":
      return generateNumbers(schema, type === "integer", making.style);
    case "boolean":
      return fc.boolean();
    case "array":
      return generateLists(schema, making);
    case "object":
      return generateRecords(schema, making);
    default:
      return fc.constant(null);
  }
}

/**
 * One schema for each branch; for `oneOf` also one that requires a property which the other
 * branches lack.
 */
function combineBranches(
  merged: MergedSchema,
  choice: SchemaChoice,
  references: References,
): JsonObject[] {
  const rest = withoutPart(merged, choice);
  const names = choice.branches.map((branch) => getPropertyNames(branch, references));
  return choice.branches.flatMap((branch, index) => {
    if (branch === false) return [];
    const both: JsonObject = { allOf: isObject(branch) ? [rest, branch] : [rest] };
    if (choice.keyword === "anyOf") return [both];
    const others = names.filter((_, other) => other !== index);
    const own = names[index]?.find((name) => !others.some((list) => list.includes(name)));
    return own === undefined ? [both] : [both, { allOf: [rest, branch, { required: [own] }] }];
  });
}

function getPropertyNames(schema: JsonValue, references: References): string[] {
  return collectConjuncts(schema, references).flatMap(({ properties }) =>
    isObject(properties) ? Object.keys(properties) : [],
  );
}

function generateConditional(
  merged: MergedSchema,
  condition: JsonObject,
  of: (schema: JsonValue) => Values,
): Values {
  const rest = withoutPart(merged, condition);
  const { if: test = true, then = true, else: otherwise = true } = condition;
  const met: JsonObject = { allOf: [rest, test, then] };
  const unmet: JsonObject = { allOf: [rest, { not: test }, otherwise] };
  return oneOf([of(met), of(unmet)]);
}

/** Combines the schema with the dependent schema of a required property. */
function addDependentSchema(base: JsonObject): JsonObject | undefined {
  const { dependentSchemas, required } = base;
  if (!isObject(dependentSchemas) || !Array.isArray(required)) return undefined;
  const name = Object.keys(dependentSchemas).find((name) => required.includes(name));
  if (name === undefined) return undefined;
  const others = Object.entries(dependentSchemas).filter(([other]) => other !== name);
  const rest = { ...base, dependentSchemas: Object.fromEntries(others) };
  return { allOf: [rest, dependentSchemas[name] as JsonValue] };
}

function inferTypes(base: JsonObject): string[] {
  const inferred = keywordsByType.find(([, keywords]) =>
    keywords.some((keyword) => keyword in base),
  );
  return inferred === undefined ? [] : [inferred[0]];
}

function oneOf(all: readonly Values[]): Values {
  const [only] = all;
  if (only === undefined) return anything;
  return all.length === 1 ? only : fc.oneof(...all);
}

/** Generates arrays that match a schema. */
function generateLists(schema: JsonObject, making: GenerationSettings): Values {
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

/** Options of `sampleArguments`. */
export interface SampleOptions {
  /** Default: `ordinary`. */
  readonly style?: ValueStyle;
  /** The same seed generates the same arguments. */
  readonly seed: number;
  /** The number of arguments to generate. */
  readonly count: number;
}

/**
 * Generates arguments that an input schema is likely to accept, from its keywords: types, bounds,
 * formats, patterns, `enum`, `$ref`s, composition. Validate them: generate several and use the
 * first valid one.
 */
export function sampleArguments(
  schema: JsonSchema,
  { style = "ordinary", seed, count }: SampleOptions,
): JsonObject[] {
  const root = schema as JsonObject;
  const values = generateValues(root, new References(root), style) as fc.Arbitrary<JsonObject>;
  return fc.sample(values, { seed, numRuns: count });
}
