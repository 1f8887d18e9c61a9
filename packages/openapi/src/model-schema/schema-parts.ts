import type { JsonSchema, JsonValue } from "@toolweave/core";
import { aliasNote } from "../arguments/input-schema.ts";
import { isRedundant, abridgeText, fitText, splitWords } from "./abridge-text.ts";

/** A schema under construction. */
export type ModelNode = Record<string, JsonValue>;

type Node = ModelNode;

/** Replaces omitted parts. */
export const omissionMark = "[…]";

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

/** Returns true for a list, an object, and a schema with keywords of either. */
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

/** Returns true for a schema that consists of no other schemas that a model sees. */
export function isPlain(schema: JsonSchema): boolean {
  for (const keyword in schema) if (inner.has(keyword)) return false;
  return true;
}

/** Returns true for a list of plain values, which is as short as its replacement. */
export function isPlainList({ items, prefixItems, properties }: JsonSchema): boolean {
  if (prefixItems !== undefined || properties !== undefined || !isSchema(items)) return false;
  const { type } = items;
  return typeof type === "string" && type !== "object" && type !== "array" && !hasMembers(items);
}

/** Returns true for a schema that is not a boolean. */
export function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Combines schemas that all hold. */
export function combineAll(node: Node, all: readonly Node[]): Node {
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

/** Combines schemas of which any may hold. */
export function toUnion(branches: readonly Node[]): Node {
  if (branches.length === 1) return branches[0] as Node;
  const types = branches.flatMap(({ type, ...others }) =>
    type === undefined || Object.keys(others).length > 0 ? [] : [type],
  );
  if (types.length === branches.length) return { type: [...new Set(types.flat())] };
  return { anyOf: [...branches] };
}

/** Removes duplicates. */
export function removeDuplicates(branches: readonly Node[]): Node[] {
  const keywords = branches.map((branch) => Object.keys(branch).join());
  const seen = new Set<string>();
  return branches.filter((branch, index) => {
    // Most branches have keywords that no other one has, and need not be compared.
    const own = keywords[index] as string;
    if (keywords.indexOf(own) === keywords.lastIndexOf(own)) return true;
    // References are not resolved yet, and are compared by name.
    const text = JSON.stringify(branch);
    return !seen.has(text) && seen.add(text) !== undefined;
  });
}

/** Returns the values of `enum`, or if there are too many, the first ones in a description. */
export function toChoices(values: readonly JsonValue[], type: JsonValue | undefined): Node {
  if (values.length <= maxChoices && isShort(values, maxChoiceLength)) return { enum: values };
  const some: JsonValue[] = [];
  for (const value of values) {
    if (!isShort([...some, value], maxChoiceLength / 4)) break;
    some.push(value);
  }
  const first = some.map((value) => JSON.stringify(value)).join(", ");
  return {
    ...(type === undefined ? {} : { type }),
    description: `One of ${values.length}: ${first} ${omissionMark}`,
  };
}

/** Returns the first example if it is short. */
export function toFirstExample([example]: readonly JsonValue[]): Node {
  return example !== undefined && isShort(example, maxExampleLength) ? { examples: [example] } : {};
}

/** Returns true for a value of at most `maxLength` characters; other scalars than strings are always short. */
export function isShort(value: JsonValue, maxLength: number): boolean {
  return typeof value !== "object" || value === null
    ? typeof value !== "string" || value.length <= maxLength
    : isAtMost(value, maxLength);
}

/** Returns true if a value has at most `maxLength` characters as JSON. A longer one is seldom written to find that out. */
export function isAtMost(value: JsonValue, maxLength: number): boolean {
  const length = plainLength(value, maxLength);
  if (length > maxLength) return false;
  return maxEscapeLength * length <= maxLength || JSON.stringify(value).length <= maxLength;
}

/** Returns a value as JSON if that has at most `maxLength` characters. */
export function toShortJson(value: JsonValue, maxLength: number): string | undefined {
  if (plainLength(value, maxLength) > maxLength) return undefined;
  const json = JSON.stringify(value);
  return json.length <= maxLength ? json : undefined;
}

/** Length of the longest escape of a character: `\u0000`. */
const maxEscapeLength = 6;

/** Returns the length of a value as JSON without escapes, or a number above `limit` if it is longer. */
function plainLength(value: JsonValue, limit: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return String(value).length;
  let length = 1; // The brackets, less the comma that the last member does not have.
  if (Array.isArray(value)) {
    for (const one of value) {
      length += plainLength(one, limit - length) + 1;
      if (length > limit) return length;
    }
  } else {
    for (const name in value) {
      const member = (value as Node)[name];
      if (member !== undefined) length += name.length + 4 + plainLength(member, limit - length);
      if (length > limit) return length;
    }
  }
  return Math.max(length, 2);
}

/** Returns true for a schema without keywords. */
export function isEmpty(node: Node): boolean {
  for (const _ in node) return false;
  return true;
}

/** Keywords that are copied unchanged. */
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

/** Keywords that are copied together or not at all. */
export const conditions: Readonly<Record<string, readonly string[]>> = {
  if: ["if", "then", "else"],
  not: ["not"],
  contains: ["contains", "minContains", "maxContains"],
};

/** Returns the description of a schema at a depth (1: an argument), under a name; `""` for none. */
export type DescribeSchema = (schema: JsonSchema, depth: number, name: string) => string;

/**
 * Creates a function that shortens the descriptions of schemas. The note with the original name of an argument is
 * always preserved.
 *
 * @param known words that descriptions need not repeat. Absent: descriptions are not abridged, only truncated at
 * paragraphs.
 * @param argument maximum number of characters of an argument's description.
 * @param nested maximum number of characters of a description inside an argument.
 */
export function createDescriber(
  known: ReadonlySet<string> | undefined,
  argument: number,
  nested: number,
): DescribeSchema {
  const shorten = (about: string, depth: number, name: string): string => {
    const budget = depth === 1 ? argument : nested;
    if (known === undefined) return fitText(about, budget);
    const abridged = abridgeText(about, budget);
    return isRedundant(abridged, known, splitWords(name)) ? "" : abridged;
  };
  return ({ description, title }, depth, name) => {
    const about = typeof description === "string" ? description : title;
    if (typeof about !== "string") return "";
    const note = depth === 1 ? aliasNote.exec(about) : null;
    if (note === null) return shorten(about, depth, name);
    const abridged = shorten(about.slice(0, note.index), depth, name);
    return abridged === "" ? (note[1] as string) : `${abridged} ${note[1] as string}`;
  };
}
