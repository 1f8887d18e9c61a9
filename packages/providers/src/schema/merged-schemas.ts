import type { JsonSchema, JsonValue } from "@toolweave/core";
import {
  isObject,
  isSchemaNode,
  canonicalJson,
  mergeKeyword,
  metadataKeywords,
  type SchemaNode,
} from "@toolweave/core/adapter";
import { asList, without } from "./keywords.ts";
import { definitionName, type PreparedSchema } from "./prepared-schema.ts";

/** The functions for merging: they resolve references, and report what is lost. */
export interface MergeContext {
  /** The schema with its reference replaced by what it leads to. */
  readonly resolved: (node: JsonSchema) => SchemaNode;
  /** Called with a keyword of which the merged schema demands less than both together. */
  readonly onLost: (keyword: string) => void;
  /** How many more schemas may be merged: two that refer to themselves would never end. */
  left: number;
  /** How many are being merged, each within the other. */
  depth: number;
}

/** Schemas within each other that are merged; below, the first one stays. */
const deepest = 8;

/** Keywords that mean nothing, or something else, without each other. */
const groups = [
  ["prefixItems", "items", "unevaluatedItems"],
  ["contains", "minContains", "maxContains"],
  ["if", "then", "else"],
];

/**
 * One schema for the constraints of both. If no single keyword can express it, the result is weaker, never stronger;
 * the first schema's annotations, such as its description, precede the second's.
 */
export function mergedSchemas(
  first: SchemaNode,
  second: SchemaNode,
  context: MergeContext,
): SchemaNode {
  if (isSame(first, second)) return first;
  const a = typeof first === "boolean" ? first : context.resolved(first);
  const b = typeof second === "boolean" ? second : context.resolved(second);
  if (a === false || b === false) return false;
  if (a === true) return b;
  if (b === true) return a;
  if (context.left <= 0 || context.depth > deepest) {
    context.onLost("allOf");
    return a;
  }
  context.left--;
  context.depth++;
  const merged = new Merge(a, b, context).merged();
  context.depth--;
  return merged;
}

/** A schema without `allOf`: its members are merged into it. */
export function mergeAllOf(node: JsonSchema, context: MergeContext): SchemaNode {
  if (!Array.isArray(node["allOf"])) return node;
  if (context.left-- <= 0) {
    context.onLost("allOf");
    return without(node, "allOf");
  }
  let merged: SchemaNode = without(node, "allOf");
  for (const member of asList(node["allOf"])) {
    if (!isSchemaNode(member)) continue;
    const resolved = typeof member === "boolean" ? member : context.resolved(member);
    const flat = typeof resolved === "boolean" ? resolved : mergeAllOf(resolved, context);
    merged = mergedSchemas(merged, flat, context);
  }
  return merged;
}

class Merge {
  readonly #a: JsonSchema;
  readonly #b: JsonSchema;
  readonly #context: MergeContext;
  #hasLost = false;

  constructor(a: JsonSchema, b: JsonSchema, context: MergeContext) {
    this.#a = a;
    this.#b = b;
    this.#context = context;
  }

  merged(): JsonSchema {
    const entries: [string, JsonValue][] = [];
    const left = this.#leftGroups();
    for (const keyword of new Set([...Object.keys(this.#a), ...Object.keys(this.#b)])) {
      if (left.has(keyword)) {
        if (this.#a[keyword] !== undefined) entries.push([keyword, this.#a[keyword]]);
        continue;
      }
      const value = this.#value(keyword, this.#a[keyword], this.#b[keyword]);
      if (value !== undefined) entries.push([keyword, value]);
    }
    const merged = Object.fromEntries(entries);
    // The lost keywords may have been those that evaluate a property, or an item.
    return this.#hasLost ? without(merged, "unevaluatedProperties", "unevaluatedItems") : merged;
  }

  #lose(keyword: string): void {
    this.#hasLost = true;
    this.#context.onLost(keyword);
  }

  /** The groups that both have, of which only the first's stays. */
  #leftGroups(): ReadonlySet<string> {
    const left = new Set<string>();
    for (const group of groups) {
      const ofA = group.filter((keyword) => this.#a[keyword] !== undefined);
      const ofB = group.filter((keyword) => this.#b[keyword] !== undefined);
      if (ofA.length === 0 || ofB.length === 0) continue;
      // Lists of one kind can be merged.
      if ([...ofA, ...ofB].every((keyword) => keyword === "items")) continue;
      if (group.every((keyword) => isSame(this.#a[keyword], this.#b[keyword]))) continue;
      for (const keyword of group) left.add(keyword);
      this.#lose(group[0] as string);
    }
    return left;
  }

  #value(
    keyword: string,
    a: JsonValue | undefined,
    b: JsonValue | undefined,
  ): JsonValue | undefined {
    if (keyword === "additionalProperties") return this.#additional(a, b);
    if (a === undefined || b === undefined) return a ?? b;
    if (metadataKeywords.has(keyword) || isSame(a, b)) return a;
    const merged = mergeKeyword(keyword, a, b, (one, other) =>
      mergedSchemas(one, other, this.#context),
    );
    if (merged === undefined) this.#lose(keyword);
    return merged ?? a;
  }

  /**
   * The additional properties that either schema permits, for the properties of both: looser than each schema is about
   * its own.
   */
  #additional(a: JsonValue | undefined, b: JsonValue | undefined): JsonValue | undefined {
    if ((a ?? true) === true && (b ?? true) === true) return a ?? b;
    if (!hasSameProperties(this.#a, this.#b)) this.#lose("additionalProperties");
    if (a === false || b === false) return false;
    if (isSchemaNode(a) && isSchemaNode(b)) return mergedSchemas(a, b, this.#context);
    return a ?? b;
  }
}

function hasSameProperties(a: JsonSchema, b: JsonSchema): boolean {
  const names = (node: JsonSchema): string =>
    ["properties", "patternProperties"]
      .map((keyword) => {
        const members = node[keyword];
        return isObject(members) ? Object.keys(members).sort().join("\n") : "";
      })
      .join("\n\n");
  return names(a) === names(b);
}

function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return canonicalJson(a) === canonicalJson(b);
}

/** Merges of schemas that one tool may need. */
const maxMerges = 2000;

/** The context for merging of one prepared schema. */
export function mergeContext(
  prepared: PreparedSchema,
  onLost: (keyword: string) => void,
): MergeContext {
  const context: MergeContext = {
    resolved: (node) => resolvedNode(node, prepared, context),
    onLost,
    left: maxMerges,
    depth: 0,
  };
  return context;
}

/** The schema with its reference replaced by what that leads to, and by what stood beside it. */
function resolvedNode(
  node: JsonSchema,
  { definitions }: PreparedSchema,
  context: MergeContext,
): SchemaNode {
  let at: SchemaNode = node;
  for (let hops = 0; typeof at !== "boolean" && at["$ref"] !== undefined; hops++) {
    const target = definitions.get(definitionName(at["$ref"]) ?? "");
    // A reference that refers only to itself constrains nothing.
    if (target === undefined || hops > definitions.size) return true;
    const beside = without(at, "$ref");
    if (typeof target === "boolean" || Object.keys(beside).length === 0) {
      at = target;
      continue;
    }
    const { $ref, ...own } = target;
    const both = mergedSchemas(beside, own, context);
    at = $ref === undefined || typeof both === "boolean" ? both : { ...both, $ref };
  }
  return at;
}
