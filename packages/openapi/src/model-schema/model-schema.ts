import { type JsonSchema, type JsonValue } from "@toolweave/core";
import { setOwn } from "../document/record.ts";
import { definitionName, resolveSchema } from "../schema/resolve-schema.ts";
import { fillSchema } from "./fill-schema.ts";
import { inlineDefinitions } from "./inline-definitions.ts";
import { schemaDescriptions, type DescribeSchema } from "./schema-descriptions.ts";
import type { SchemaBudget } from "./schema-budget.ts";
import { extents, type Extent } from "./schema-extent.ts";
import {
  choices,
  combined,
  conditions,
  distinct,
  firstExample,
  hasMembers,
  isEmpty,
  isPlain,
  isPlainList,
  isSchema,
  isShort,
  preservedKeywords,
  mark,
  maxCharacters,
  union,
  type ModelNode as Node,
} from "./schema-parts.ts";
import { splitWords } from "./abridge-text.ts";

type Schema = JsonSchema | boolean;
/** What a model is told once, when something is left out. */
const whatIsLeftOut = `${mark} is left out here, * is required: an error tells what else is expected.`;

const maxKinds = 40;
const maxBranches = 100;
const maxPatternLength = 100;
const maxValueLength = 60;
const maxConditionLength = 300;
const maxOutlineLength = 800;

/**
 * What a model is shown of an input schema: weaker than it, never different. All arguments, what they are and which
 * are required; descriptions and levels as far as they fit, and a mark where something is left out.
 *
 * @param name the tool's: what it says, descriptions need not.
 */
export function abridgeSchema(full: JsonSchema, name: string, budget: SchemaBudget): JsonSchema {
  const names = Object.keys(full["properties"] as object);
  const known = new Set([name, ...names].flatMap(splitWords));
  // Of so many arguments nothing but the least fits.
  const tried = names.length * minNodeLength > budget.size ? extents.slice(-1) : extents;
  let shown: JsonSchema | undefined;
  let leastCut = 0;
  for (const extent of tried) {
    const attempt = new SchemaAbridgement(full, known, budget, extent);
    shown = attempt.run();
    leastCut = attempt.leastCut;
    if (shown !== undefined && fits(shown, budget.size)) break;
  }
  return leastCut < (extents[0] as Extent).levels
    ? filled(full, shown as JsonSchema, known, budget, leastCut)
    : (shown as JsonSchema);
}

/**
 * Every part of a schema is cut at the same depth, which may leave most of the room unused: then it is filled.
 *
 * @param leastCut 1: an argument itself is cut.
 */
function filled(
  full: JsonSchema,
  shown: JsonSchema,
  known: ReadonlySet<string>,
  budget: SchemaBudget,
  leastCut: number,
): JsonSchema {
  const used = JSON.stringify(shown).length;
  if (leastCut > 1 && used > budget.size / 2) return shown;
  const describe = extentDescriptions(known, budget, extents[2] as Extent);
  const more = fillSchema(full, shown, budget.size, describe, whatIsLeftOut);
  const length = JSON.stringify(more).length;
  return (leastCut === 1 || length > used) && length <= budget.size ? more : shown;
}

function extentDescriptions(
  known: ReadonlySet<string>,
  { verbatim, argument, nested }: SchemaBudget,
  extent: Extent,
): DescribeSchema {
  const of = Math.floor(argument * extent.argument);
  return schemaDescriptions(verbatim ? undefined : known, of, Math.floor(nested * extent.nested));
}

function fits(shown: JsonSchema, size: number): boolean {
  return maxCharacters(shown) <= size || JSON.stringify(shown).length <= size;
}

/** Characters that a schema takes at least, with its name. */
const minNodeLength = 8;

/** What was last made of an argument's schema that consists of no others. */
interface AbridgedArgument {
  readonly budget: SchemaBudget;
  readonly description: string;
  readonly isTerse: boolean;
  readonly node: Node;
}

/** Hundreds of operations share the schema of a parameter, and the same is shown of it in most. */
const abridgeArguments = new WeakMap<JsonSchema, AbridgedArgument>();

class SchemaAbridgement {
  readonly #full: JsonSchema;
  readonly #budget: SchemaBudget;
  /** Words that descriptions need not repeat; nothing: they are shown as they are. */
  readonly #known: ReadonlySet<string> | undefined;
  readonly #defs: ReadonlyMap<string, Schema>;
  readonly #levels: number;
  readonly #names: number;
  readonly #describe: DescribeSchema;
  readonly #shown = new Map<string, Node>();
  /** Definitions yet to be shown, by how deep they lie at least. */
  readonly #open: string[][] = [];
  /** How many schemas may still be shown. */
  #left: number;
  /** What does not fit any more is left out; before, less of everything is tried. */
  readonly #isLast: boolean;
  readonly #isFirst: boolean;
  /** Of the branches of unions, the properties that can be one text only. */
  readonly #constants = new Map<JsonSchema, readonly string[]>();
  #isPruned = false;
  /** The least depth at which something is left out. */
  leastCut: number = Infinity;

  constructor(full: JsonSchema, known: ReadonlySet<string>, budget: SchemaBudget, extent: Extent) {
    this.#full = full;
    this.#budget = budget;
    this.#defs = new Map(Object.entries((full["$defs"] ?? {}) as Record<string, Schema>));
    this.#known = budget.verbatim ? undefined : known;
    this.#levels = extent.levels;
    this.#names = extent.names;
    this.#describe = extentDescriptions(known, budget, extent);
    this.#left = budget.size / minNodeLength;
    this.#isLast = extent === extents.at(-1);
    this.#isFirst = extent === extents[0];
  }

  /** Nothing when there is too much of it. */
  run(): JsonSchema | undefined {
    const { properties = {}, required } = this.#full;
    const root: Node = {
      type: "object",
      properties: this.#named(properties, 1),
      ...(required === undefined ? {} : { required }),
      ...(this.#known === undefined ? { additionalProperties: false } : {}),
    };
    // What lies least deep comes first: a definition that is met again deeper is the same one.
    for (let depth = 1; depth < this.#open.length; depth++) {
      for (const name of this.#open[depth] ?? []) {
        if (this.#isTooMuch) return undefined;
        if (this.#shown.has(name)) continue;
        this.#shown.set(name, this.#node(this.#defs.get(name) as Schema, depth, ""));
      }
    }
    if (this.#isTooMuch) return undefined;
    const shown = inlineDefinitions(root, this.#shown);
    return this.#isPruned ? { ...shown, description: whatIsLeftOut } : shown;
  }

  get #isTooMuch(): boolean {
    return this.#left < 0 && !this.#isLast;
  }

  /** @param depth of the objects and lists around the value. */
  #node(given: JsonValue | Schema | undefined, depth: number, name: string): Node {
    // Of arguments at least something is said: of each what it is.
    const isArgument = depth === 1 && name !== "";
    if (this.#left-- <= 0 && !(isArgument && this.#isLast)) {
      this.#isPruned = true;
      return {};
    }
    if (given === false) return { not: {} };
    if (typeof given !== "object" || given === null || Array.isArray(given)) return {};
    const schema = given as JsonSchema;
    const description = this.#describe(schema, depth, name);
    if (!isArgument) return this.#made(schema, depth, description);
    // Nobody means a required text to be empty: to say so of each in every path takes 9,000 tokens of GitHub's list.
    const isTerse = this.#isTerse(name);
    return this.#isFirst && isPlain(schema)
      ? this.#shared(schema, description, isTerse)
      : this.#made(schema, depth, description, isTerse);
  }

  #shared(schema: JsonSchema, description: string, isTerse: boolean): Node {
    const known = abridgeArguments.get(schema);
    if (
      known?.budget === this.#budget &&
      known.description === description &&
      known.isTerse === isTerse
    ) {
      return known.node;
    }
    const node = this.#made(schema, 1, description, isTerse);
    abridgeArguments.set(schema, { budget: this.#budget, description, isTerse, node });
    return node;
  }

  #made(schema: JsonSchema, depth: number, description: string, isTerse = false): Node {
    const node: Node =
      depth >= this.#levels && this.#isNested(schema)
        ? this.#outline(schema, depth)
        : this.#keywords(schema, depth);
    if (description !== "") {
      const more = node["description"];
      const isMarked = typeof more === "string" && more.endsWith(mark);
      node["description"] = isMarked ? `${description} ${more}` : description;
    }
    if (schema["deprecated"] === true) node["deprecated"] = true;
    if (isTerse && node["minLength"] === 1) delete node["minLength"];
    return node;
  }

  /** True for a required argument where texts are short. */
  #isTerse(name: string): boolean {
    const { required } = this.#full;
    return this.#known !== undefined && Array.isArray(required) && required.includes(name);
  }

  #isNested(schema: JsonSchema): boolean {
    return hasMembers(schema) ? !isPlainList(schema) : this.#kinds(schema).length > 1;
  }

  /** What is too deep to be shown: its names, with a star at those that are required, or what there is to choose from. */
  #outline(schema: JsonSchema, depth: number): Node {
    this.leastCut = Math.min(this.leastCut, depth);
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
      description: inside === "" ? this.#leaveOut() : `${inside} ${this.#leaveOut()}`,
    };
  }

  #leaveOut(): string {
    this.#isPruned = true;
    return mark;
  }

  /** What tells the branches of a union apart, where each has a constant: `type: creation`. */
  #kinds(given: JsonValue): readonly string[] {
    const { anyOf, oneOf = anyOf } = this.#resolved(given);
    if (!Array.isArray(oneOf)) return [];
    return (oneOf as JsonValue[])
      .slice(0, maxKinds)
      .flatMap((branch) => this.#constantsOf(this.#resolved(branch)));
  }

  #constantsOf(branch: JsonSchema): readonly string[] {
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
          this.#refer(node, value, depth);
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
          // Of weaker ones more than one may fit.
          const some = distinct(this.#branches(value, depth));
          if (some.length > 1 || !isEmpty(some[0] ?? {})) unions.push(union(some));
          break;
        }
        case "enum":
          Object.assign(node, choices(value as JsonValue[], schema["type"]));
          break;
        case "if":
        case "not":
        case "contains":
          this.#condition(node, schema, keyword);
          break;
        case "examples":
          if (this.#known === undefined) Object.assign(node, firstExample(value as JsonValue[]));
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
    return combined(node, unions);
  }

  #set(node: Node, keyword: string, value: Node): void {
    if (!isEmpty(value)) node[keyword] = value;
  }

  #named(value: JsonValue | undefined, depth: number): Node {
    const named: Node = {};
    for (const name of Object.keys(value as Node)) {
      if (this.#isTooMuch) break;
      setOwn(named, name, this.#node((value as Node)[name], depth, name));
    }
    return named;
  }

  #branches(value: JsonValue, depth: number): Node[] {
    const branches: Node[] = [];
    for (const branch of value as JsonValue[]) {
      // Those behind the first that is left out would be, too.
      const isLeftOut = this.#left <= 0;
      branches.push(this.#node(branch, depth, ""));
      if (isLeftOut) break;
    }
    return branches;
  }

  #refer(node: Node, reference: JsonValue, depth: number): void {
    const name = definitionName(reference);
    // Of what cannot be found, anything may be sent.
    if (name === undefined || reference !== `#/$defs/${name}` || !this.#defs.has(name)) {
      return;
    }
    (this.#open[depth] ??= []).push(name);
    node["$ref"] = reference;
  }

  /** What says which values are not meant must not become weaker: it is shown whole or not at all. */
  #condition(node: Node, schema: JsonSchema, keyword: string): void {
    const parts = conditions[keyword] as readonly string[];
    const whole = Object.fromEntries(
      parts.flatMap((part) => (schema[part] === undefined ? [] : [[part, schema[part]]])),
    ) as Node;
    const text = JSON.stringify(whole);
    if (text.length <= maxConditionLength && !text.includes('"$ref"')) Object.assign(node, whole);
  }
}
