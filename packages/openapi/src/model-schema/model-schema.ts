import type { JsonSchema, JsonValue } from "@toolweave/core";
import { setOwn } from "../document/record.ts";
import { getDefinitionName, resolveSchema } from "../schema/resolve-schema.ts";
import { fillSchema } from "./fill-schema.ts";
import { inlineDefinitions } from "./inline-definitions.ts";
import {
  createDescriber,
  toChoices,
  combineAll,
  conditions,
  removeDuplicates,
  toFirstExample,
  hasMembers,
  isEmpty,
  isPlain,
  isPlainList,
  isSchema,
  isShort,
  preservedKeywords,
  omissionMark,
  isAtMost,
  toUnion,
  type DescribeSchema,
  type ModelNode as Node,
} from "./schema-parts.ts";
import { type SchemaBudget, extents, type Extent } from "./schema-budget.ts";
import { splitWords } from "./abridge-text.ts";

type Schema = JsonSchema | boolean;
/** The description of an abridged schema. */
const abridgedNote = `${omissionMark} marks omitted parts, * required ones: errors state what else is expected.`;

const maxKinds = 40;
const maxBranches = 100;
const maxPatternLength = 100;
const maxValueLength = 60;
const maxConditionLength = 300;
const maxOutlineLength = 800;

/**
 * Abridges an input schema for a model. The result accepts everything that the full schema accepts, and has all
 * arguments with their types and `required`; descriptions and levels as far as they fit, and marks for omissions.
 *
 * @param name the tool's name: descriptions need not repeat its words.
 */
export function abridgeSchema(full: JsonSchema, name: string, budget: SchemaBudget): JsonSchema {
  const names = Object.keys(full["properties"] as object);
  const known = new Set([name, ...names].flatMap(splitWords));
  // For so many arguments only the smallest extent can fit.
  const candidates = names.length * minNodeLength > budget.size ? extents.slice(-1) : extents;
  let abridged: JsonSchema | undefined;
  let minCutDepth = 0;
  for (const extent of candidates) {
    const attempt = new SchemaAbridgement(full, known, budget, extent);
    abridged = attempt.run();
    minCutDepth = attempt.minCutDepth;
    if (abridged !== undefined && isAtMost(abridged, budget.size)) break;
  }
  return minCutDepth < (extents[0] as Extent).levels
    ? fillBudget(full, abridged as JsonSchema, known, budget, minCutDepth)
    : (abridged as JsonSchema);
}

/**
 * Fills an abridged schema. All of its parts are cut at the same depth, which may leave most of the budget unused.
 *
 * @param minCutDepth depth of the topmost cut. 1: an argument itself is cut.
 */
function fillBudget(
  full: JsonSchema,
  abridged: JsonSchema,
  known: ReadonlySet<string>,
  budget: SchemaBudget,
  minCutDepth: number,
): JsonSchema {
  const used = JSON.stringify(abridged).length;
  if (minCutDepth > 1 && used > budget.size / 2) return abridged;
  const describe = extentDescriptions(known, budget, extents[2] as Extent);
  const more = fillSchema(full, abridged, budget.size, describe, abridgedNote);
  const length = JSON.stringify(more).length;
  return (minCutDepth === 1 || length > used) && length <= budget.size ? more : abridged;
}

function extentDescriptions(
  known: ReadonlySet<string>,
  { verbatim, argument, nested }: SchemaBudget,
  extent: Extent,
): DescribeSchema {
  const of = Math.floor(argument * extent.argument);
  return createDescriber(verbatim ? undefined : known, of, Math.floor(nested * extent.nested));
}

/** Minimum number of characters of a schema, with its name. */
const minNodeLength = 8;

/** The last result for an argument's schema that consists of no other schemas. */
interface AbridgedArgument {
  readonly budget: SchemaBudget;
  readonly description: string;
  readonly isTerse: boolean;
  readonly node: Node;
}

/**
 * Cached, because hundreds of operations share the schema of a parameter, and the result is the same for most of them.
 */
const abridgeArguments = new WeakMap<JsonSchema, AbridgedArgument>();

class SchemaAbridgement {
  readonly #full: JsonSchema;
  readonly #budget: SchemaBudget;
  /** Words that descriptions need not repeat; undefined: descriptions are not shortened. */
  readonly #known: ReadonlySet<string> | undefined;
  readonly #defs: ReadonlyMap<string, Schema>;
  readonly #levels: number;
  readonly #names: number;
  readonly #describe: DescribeSchema;
  readonly #definitions = new Map<string, Node>();
  /** Definitions that are still to be processed, by their minimum depth. */
  readonly #open: string[][] = [];
  /** Number of schemas that may still be included. */
  #remaining: number;
  /** In the last attempt, schemas that do not fit are omitted; before it, a smaller extent is tried. */
  readonly #isLast: boolean;
  readonly #isFirst: boolean;
  /** The properties with a single string value in the branches of unions. */
  readonly #constants = new Map<JsonSchema, readonly string[]>();
  #isPruned = false;
  /** The minimum depth at which a part is omitted. */
  minCutDepth: number = Infinity;

  constructor(full: JsonSchema, known: ReadonlySet<string>, budget: SchemaBudget, extent: Extent) {
    this.#full = full;
    this.#budget = budget;
    this.#defs = new Map(Object.entries((full["$defs"] ?? {}) as Record<string, Schema>));
    this.#known = budget.verbatim ? undefined : known;
    this.#levels = extent.levels;
    this.#names = extent.names;
    this.#describe = extentDescriptions(known, budget, extent);
    this.#remaining = budget.size / minNodeLength;
    this.#isLast = extent === extents.at(-1);
    this.#isFirst = extent === extents[0];
  }

  run(): JsonSchema | undefined {
    const { properties = {}, required } = this.#full;
    const root: Node = {
      type: "object",
      properties: this.#named(properties, 1),
      ...(required === undefined ? {} : { required }),
      ...(this.#known === undefined ? { additionalProperties: false } : {}),
    };
    // In order of depth: a definition that is used again at a greater depth is the same one.
    for (let depth = 1; depth < this.#open.length; depth++) {
      for (const name of this.#open[depth] ?? []) {
        if (this.#isTooLarge) return undefined;
        if (this.#definitions.has(name)) continue;
        this.#definitions.set(name, this.#node(this.#defs.get(name) as Schema, depth, ""));
      }
    }
    if (this.#isTooLarge) return undefined;
    const abridged = inlineDefinitions(root, this.#definitions);
    return this.#isPruned ? { ...abridged, description: abridgedNote } : abridged;
  }

  get #isTooLarge(): boolean {
    return this.#remaining < 0 && !this.#isLast;
  }

  /** @param depth number of objects and lists around the value. */
  #node(given: JsonValue | Schema | undefined, depth: number, name: string): Node {
    // Every argument is included, even if it does not fit.
    const isArgument = depth === 1 && name !== "";
    if (this.#remaining-- <= 0 && !(isArgument && this.#isLast)) {
      this.#isPruned = true;
      return {};
    }
    if (given === false) return { not: {} };
    if (typeof given !== "object" || given === null || Array.isArray(given)) return {};
    const schema = given as JsonSchema;
    const description = this.#describe(schema, depth, name);
    if (!isArgument) return this.#create(schema, depth, description);
    // A required text is not meant to be empty: stating that for each one in every path takes 9,000 tokens of GitHub's
    // list.
    const isTerse = this.#isTerse(name);
    return this.#isFirst && isPlain(schema)
      ? this.#createShared(schema, description, isTerse)
      : this.#create(schema, depth, description, isTerse);
  }

  #createShared(schema: JsonSchema, description: string, isTerse: boolean): Node {
    const known = abridgeArguments.get(schema);
    if (
      known?.budget === this.#budget &&
      known.description === description &&
      known.isTerse === isTerse
    ) {
      return known.node;
    }
    const node = this.#create(schema, 1, description, isTerse);
    abridgeArguments.set(schema, { budget: this.#budget, description, isTerse, node });
    return node;
  }

  #create(schema: JsonSchema, depth: number, description: string, isTerse = false): Node {
    const node: Node =
      depth >= this.#levels && this.#isNested(schema)
        ? this.#outline(schema, depth)
        : this.#keywords(schema, depth);
    if (description !== "") {
      const more = node["description"];
      const isMarked = typeof more === "string" && more.endsWith(omissionMark);
      node["description"] = isMarked ? `${description} ${more}` : description;
    }
    if (schema["deprecated"] === true) node["deprecated"] = true;
    if (isTerse && node["minLength"] === 1) delete node["minLength"];
    return node;
  }

  /** Returns true for a required argument if descriptions are short. */
  #isTerse(name: string): boolean {
    const { required } = this.#full;
    return this.#known !== undefined && Array.isArray(required) && required.includes(name);
  }

  #isNested(schema: JsonSchema): boolean {
    return hasMembers(schema) ? !isPlainList(schema) : this.#kinds(schema).length > 1;
  }

  /**
   * Outlines a schema that is too deep: its property names, with a star at the required ones, or the choices of a
   * union.
   */
  #outline(schema: JsonSchema, depth: number): Node {
    this.minCutDepth = Math.min(this.minCutDepth, depth);
    const { type, properties, required, items } = schema;
    const needed: readonly JsonValue[] = Array.isArray(required) ? required : [];
    const names = Object.keys((properties ?? {}) as object).map((name) =>
      needed.includes(name) ? `${name}*` : name,
    );
    const kinds = this.#kinds(items ?? schema);
    const some = kinds.length > 1 ? kinds : names.slice(0, this.#names);
    let left = maxOutlineLength;
    const inside = some.filter((one) => (left -= one.length) >= 0).join(", ");
    return {
      ...(type === undefined ? {} : { type }),
      description: inside === "" ? this.#omit() : `${inside} ${this.#omit()}`,
    };
  }

  #omit(): string {
    this.#isPruned = true;
    return omissionMark;
  }

  /** Returns the constants that distinguish the branches of a union, such as `type: creation`. */
  #kinds(given: JsonValue): readonly string[] {
    const { anyOf, oneOf = anyOf } = this.#resolved(given);
    if (!Array.isArray(oneOf)) return [];
    return (oneOf as JsonValue[])
      .slice(0, maxKinds)
      .flatMap((branch) => this.#readConstants(this.#resolved(branch)));
  }

  #readConstants(branch: JsonSchema): readonly string[] {
    let kinds = this.#constants.get(branch);
    if (kinds === undefined) {
      kinds = Object.entries((branch["properties"] ?? {}) as Node).flatMap(([name, schema]) => {
        const { const: value, enum: values = value === undefined ? [] : [value] } =
          schema as JsonSchema;
        const [only, another] = values as JsonValue[];
        return typeof only === "string" && another === undefined ? [`${name}: ${only}`] : [];
      });
      this.#constants.set(branch, kinds);
    }
    return kinds;
  }

  #resolved(given: JsonValue): JsonSchema {
    const resolved = resolveSchema(given as JsonSchema, this.#defs);
    return isSchema(resolved as JsonValue) ? (resolved as JsonSchema) : {};
  }

  #keywords(schema: JsonSchema, depth: number): Node {
    const node: Node = {};
    let unions: Node[] = [];
    for (const keyword in schema) {
      const value = schema[keyword] as JsonValue;
      switch (keyword) {
        case "$ref":
          this.#addReference(node, value, depth);
          break;
        case "properties":
        case "patternProperties":
          node[keyword] = this.#named(value, depth + 1);
          break;
        case "items":
        case "contentSchema":
          this.#set(node, keyword, this.#node(value, depth + 1, ""));
          break;
        case "additionalProperties":
          if (value !== false) this.#set(node, keyword, this.#node(value, depth + 1, ""));
          else if (this.#known === undefined) node[keyword] = false;
          break;
        case "prefixItems":
          node[keyword] = (value as JsonValue[]).map((one) => this.#node(one, depth + 1, ""));
          break;
        case "allOf": {
          const all = this.#branches(value, depth).filter((one) => !isEmpty(one));
          unions = [...all, ...unions];
          break;
        }
        case "anyOf":
        case "oneOf": {
          if ((value as JsonValue[]).length > maxBranches) {
            node["description"] = this.#outline(schema, depth)["description"] as string;
            break;
          }
          // More than one abridged branch may match, so `oneOf` becomes `anyOf`.
          const some = removeDuplicates(this.#branches(value, depth));
          if (some.length > 1 || !isEmpty(some[0] ?? {})) unions.push(toUnion(some));
          break;
        }
        case "enum":
          Object.assign(node, toChoices(value as JsonValue[], schema["type"]));
          break;
        case "if":
        case "not":
        case "contains":
          this.#condition(node, schema, keyword);
          break;
        case "examples":
          if (this.#known === undefined) Object.assign(node, toFirstExample(value as JsonValue[]));
          break;
        case "default":
        case "const":
          if (isShort(value, maxValueLength)) node[keyword] = value;
          break;
        case "pattern":
          if ((value as string).length <= maxPatternLength) node[keyword] = value;
          break;
        case "format":
        case "contentEncoding":
          if (isShort(value, maxValueLength)) node[keyword] = value;
          break;
        default:
          if (preservedKeywords.has(keyword) && value !== false) node[keyword] = value;
      }
    }
    return combineAll(node, unions);
  }

  #set(node: Node, keyword: string, value: Node): void {
    if (!isEmpty(value)) node[keyword] = value;
  }

  #named(value: JsonValue | undefined, depth: number): Node {
    const named: Node = {};
    for (const name of Object.keys(value as Node)) {
      if (this.#isTooLarge) break;
      setOwn(named, name, this.#node((value as Node)[name], depth, name));
    }
    return named;
  }

  #branches(value: JsonValue, depth: number): Node[] {
    const branches: Node[] = [];
    for (const branch of value as JsonValue[]) {
      // The branches after the first omitted one would be omitted too.
      const isOmitted = this.#remaining <= 0;
      branches.push(this.#node(branch, depth, ""));
      if (isOmitted) break;
    }
    return branches;
  }

  #addReference(node: Node, reference: JsonValue, depth: number): void {
    const name = getDefinitionName(reference);
    // Any value is accepted for a definition that cannot be found.
    if (name === undefined || reference !== `#/$defs/${name}` || !this.#defs.has(name)) {
      return;
    }
    (this.#open[depth] ??= []).push(name);
    node["$ref"] = reference;
  }

  /** Copies a condition as a whole or not at all: a weaker condition would exclude more values. */
  #condition(node: Node, schema: JsonSchema, keyword: string): void {
    const parts = conditions[keyword] as readonly string[];
    const whole = Object.fromEntries(
      parts.flatMap((part) => (schema[part] === undefined ? [] : [[part, schema[part]]])),
    ) as Node;
    const text = JSON.stringify(whole);
    if (text.length <= maxConditionLength && !text.includes('"$ref"')) Object.assign(node, whole);
  }
}
