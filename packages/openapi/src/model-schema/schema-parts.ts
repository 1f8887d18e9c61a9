import type { JsonSchema, JsonValue } from "@toolweave/core";

/** A schema that is being put together. */
export type ModelNode = Record<string, JsonValue>;

type Node = ModelNode;

/** Stands where something is left out. */
export const mark = "[…]";

const maxChoices = 100;
const maxChoiceLength = 2000;
const maxExampleLength = 200;

const memberKeywords = [
  "properties",
  "patternProperties",
  "additionalProperties",
  "items",
  "prefixItems",
] as const;

/** True for a list, an object, and what says what is in one. */
export function hasMembers(schema: JsonSchema): boolean {
  const { type } = schema;
  const types = Array.isArray(type) ? type : [type];
  if (memberKeywords.some((keyword) => typeof schema[keyword] === "object")) return true;
  return types.includes("object") || types.includes("array");
}

const inner: ReadonlySet<string> = new Set([
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "contentSchema",
  ...memberKeywords,
]);

/** True for a schema that consists of no others, as far as a model is shown them. */
export function isPlain(schema: JsonSchema): boolean {
  for (const keyword in schema) if (inner.has(keyword)) return false;
  return true;
}

/** A list of plain values: as short as what would stand in its place. */
export function isPlainList({ items, prefixItems, properties }: JsonSchema): boolean {
  if (prefixItems !== undefined || properties !== undefined || !isSchema(items)) return false;
  const { type } = items;
  return typeof type === "string" && type !== "object" && type !== "array" && !hasMembers(items);
}

/** True for a schema that is no boolean. */
export function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Schemas that hold at the same time, as one. */
export function combined(node: Node, all: readonly Node[]): Node {
  if (all.length === 0) return node;
  const parts = all.length === 1 ? all : [...all];
  if (parts.length === 1) {
    const [only] = parts as [Node];
    if (Object.keys(node).length === 0) return only;
    const [keyword] = Object.keys(only);
    if (keyword === "anyOf" && Object.keys(only).length === 1) return { ...node, ...only };
  }
  return { ...node, allOf: [...parts] };
}

/** Schemas of which any may hold, as one. */
export function union(branches: readonly Node[]): Node {
  if (branches.length === 1) return branches[0] as Node;
  const types = branches.flatMap(({ type, ...others }) =>
    type === undefined || Object.keys(others).length > 0 ? [] : [type],
  );
  if (types.length === branches.length) return { type: [...new Set(types.flat())] };
  return { anyOf: [...branches] };
}

/** Each once. */
export function distinct(branches: readonly Node[]): Node[] {
  const seen = new Set<string>();
  return branches.filter((branch) => {
    // References are still to be filled in, and compared by name.
    const text = JSON.stringify(branch);
    return !seen.has(text) && seen.add(text) !== undefined;
  });
}

/** The values of `enum`, or the first of too many in words. */
export function choices(values: readonly JsonValue[], type: JsonValue | undefined): Node {
  if (values.length <= maxChoices && isShort(values, maxChoiceLength)) return { enum: values };
  const some: JsonValue[] = [];
  for (const value of values) {
    if (!isShort([...some, value], maxChoiceLength / 4)) break;
    some.push(value);
  }
  const first = some.map((value) => JSON.stringify(value)).join(", ");
  return {
    ...(type === undefined ? {} : { type }),
    description: `One of ${values.length}: ${first} ${mark}`,
  };
}

/** The first example, if it is short. */
export function firstExample([example]: readonly JsonValue[]): Node {
  return example !== undefined && isShort(example, maxExampleLength) ? { examples: [example] } : {};
}

/** True for a value that takes no more than so many characters; numbers and the like always do. */
export function isShort(value: JsonValue, most: number): boolean {
  return typeof value !== "object" || value === null
    ? typeof value !== "string" || value.length <= most
    : JSON.stringify(value).length <= most;
}

/** The length of a value as JSON, or more: what would have to be escaped is not looked for. */
export function maxCharacters(value: JsonValue | undefined): number {
  if (typeof value === "string") return 6 * value.length + 2;
  if (typeof value !== "object" || value === null) return 25;
  let most = 2;
  if (Array.isArray(value)) for (const one of value) most += maxCharacters(one) + 1;
  else for (const name in value) most += 6 * name.length + 4 + maxCharacters((value as Node)[name]);
  return most;
}

/** True for a schema that says nothing. */
export function isEmpty(node: Node): boolean {
  for (const _ in node) return false;
  return true;
}

/** Keywords that are shown as they are. */
export const preservedKeywords: ReadonlySet<string> = new Set([
  "type",
  "required",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "uniqueItems",
  "dependentRequired",
  "readOnly",
  "contentMediaType",
]);

/** Keywords that are shown together or not at all. */
export const conditions: Readonly<Record<string, readonly string[]>> = {
  if: ["if", "then", "else"],
  not: ["not"],
  contains: ["contains", "minContains", "maxContains"],
};
