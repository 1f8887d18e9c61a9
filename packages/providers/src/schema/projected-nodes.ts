import type { JsonSchema, JsonValue } from "@toolweave/core";
import {
  isObject,
  isSchemaNode,
  mapSubschemas,
  stepPointer,
  type SchemaNode,
  describingKeywords,
} from "@toolweave/core/adapter";
import type { ProviderRules, RuleName } from "../rules/provider-rules.ts";
import { allowedKeywords } from "./allowed-keywords.ts";
import { closedObject } from "./closed-object.ts";
import {
  annotations,
  applicable,
  isEmpty,
  schemaTypesIn,
  asList,
  asTexts,
  without,
} from "./keywords.ts";
import { mergedSchemas, mergeAllOf, mergeContext, type MergeContext } from "./merged-schemas.ts";
import { definitionName, type PreparedSchema } from "./prepared-schema.ts";
import { Unprojectable, type SimplifiedPart } from "./projection-errors.ts";

/** References of one tool that are replaced by what they lead to. */
const maxInlined = 300;
/** How many of them within each other, when there would be more. */
const deepestInlined = 5;

/** Keywords that may constrain more when a schema within them constrains less. */
const reversed = ["contains", "if", "not", "oneOf"];

const unevaluated = ["unevaluatedItems", "unevaluatedProperties"];

/** The schemas of one tool, each as the rules allow it, with the definitions that they need. */
export class ProjectedNodes {
  readonly #prepared: PreparedSchema;
  readonly #rules: ProviderRules;
  /** By closed object: the properties that are `null` when they are absent. */
  readonly nullForAbsent: WeakMap<JsonSchema, ReadonlySet<string>> = new WeakMap();
  #simplified: SimplifiedPart[] = [];
  /** Definitions that demand less than they did. */
  #weaker: ReadonlySet<string> = new Set();
  /** How often one of them was referred to. */
  #weakerUses = 0;
  #definitions = new Map<string, SchemaNode>();
  #waiting: string[] = [];
  #inlined = 0;
  #deepest = Infinity;

  constructor(prepared: PreparedSchema, rules: ProviderRules) {
    this.#prepared = prepared;
    this.#rules = rules;
  }

  /**
   * @throws Unprojectable where the rules would refuse what the schema accepts.
   */
  projected(root: JsonSchema): {
    readonly schema: JsonSchema;
    readonly simplified: readonly SimplifiedPart[];
  } {
    for (;;) {
      const schema = this.#once(root);
      if (this.#inlined > maxInlined && this.#deepest > 1) {
        // Less of each place, so that there is something of all of them.
        this.#deepest = Math.min(this.#deepest - 1, deepestInlined);
        continue;
      }
      const weaker = this.#newWeaker;
      if (weaker.size === this.#weaker.size) return { schema, simplified: this.#simplified };
      // A `not` of a schema that has become weaker would reject more: project again, with that knowledge.
      this.#weaker = weaker;
    }
  }

  #newWeaker = new Set<string>();

  #once(root: JsonSchema): JsonSchema {
    this.#simplified = [];
    this.#definitions = new Map();
    this.#waiting = [];
    this.#inlined = 0;
    this.#newWeaker = new Set(this.#weaker);
    const projected = this.#object(root, "", []) as JsonSchema;
    for (let name = this.#waiting.shift(); name !== undefined; name = this.#waiting.shift()) {
      const before = this.#losses;
      const target = this.#prepared.definitions.get(name) ?? true;
      this.#definitions.set(name, this.#node(target, stepPointer("", ["$defs", name]), [name]));
      if (this.#losses > before) this.#newWeaker.add(name);
    }
    if (this.#definitions.size === 0) return projected;
    const schema = { ...projected, $defs: Object.fromEntries(this.#definitions) };
    const absent = this.nullForAbsent.get(projected);
    if (absent !== undefined) this.nullForAbsent.set(schema, absent);
    return schema;
  }

  get #losses(): number {
    return this.#simplified.length + this.#weakerUses;
  }

  #lose(path: string, rule: RuleName): void {
    this.#simplified.push({ path, rule });
  }

  #merging(path: string, rule: RuleName = "keywords"): MergeContext {
    return mergeContext(this.#prepared, (keyword) =>
      this.#lose(stepPointer(path, [keyword]), rule),
    );
  }

  /** @param within the definitions that are being inlined. */
  #node(node: SchemaNode, path: string, within: readonly string[]): SchemaNode {
    if (typeof node !== "boolean") return this.#object(node, path, within);
    const { keywords, closedObjects } = this.#rules;
    if (closedObjects !== undefined) throw new Unprojectable(path, "types");
    if (keywords === undefined) return node;
    if (!node) this.#lose(path, "keywords");
    return {};
  }

  #object(node: JsonSchema, path: string, within: readonly string[]): SchemaNode {
    const reference = definitionName(node["$ref"]);
    if (reference !== undefined) {
      const replaced = this.#reference(node, reference, path, within);
      if (replaced !== undefined) return replaced;
      // The removed keywords may have evaluated properties.
      if (this.#weaker.has(reference)) node = without(node, ...unevaluated);
    }
    const rules = this.#rules;
    if (node["allOf"] !== undefined && rules.keywords?.allowed.has("allOf") === false) {
      return this.#allOf(node, path, within);
    }
    const united = this.#plain(node, path);
    const [plain, below] =
      rules.closedObjects === undefined ? [united, within] : this.#spread(united, path, within);
    const allowed = allowedKeywords(plain, rules, (keyword, rule) =>
      this.#lose(stepPointer(path, [keyword]), rule),
    );
    const projected = this.#below(allowed, path, below);
    const complete = this.#complete(projected, path);
    if (rules.closedObjects === undefined || !schemaTypesIn(complete)?.includes("object"))
      return complete;
    const closed = closedObject(plain, complete, this.#prepared, path === "");
    if (closed === undefined) throw new Unprojectable(path, "closedObjects");
    this.nullForAbsent.set(closed.schema, closed.optional);
    return closed.schema;
  }

  /** @returns nothing when the reference stays where it is, or has been merged with what is beside it. */
  #reference(
    node: JsonSchema,
    name: string,
    path: string,
    within: readonly string[],
  ): SchemaNode | undefined {
    const take = this.#rules.references?.take;
    const beside = without(node, "$ref");
    const isAlone = Object.keys(beside).length === 0;
    if (take === "none") return this.#inline(beside, name, path, within);
    if (take === "alone" && !isAlone) {
      const isSaidOnly = Object.keys(beside).every((keyword) => annotations.has(keyword));
      if (!isSaidOnly && this.#mayInline(name, within)) {
        const merged = this.#merging(path, "references").resolved(node);
        return this.#node(merged, path, [...within, name]);
      }
      if (!isSaidOnly) this.#lose(path, "references");
      const annotationEntries = Object.entries(beside).filter(([keyword]) =>
        annotations.has(keyword),
      );
      const wrapped = {
        ...Object.fromEntries(annotationEntries),
        anyOf: [{ $ref: node["$ref"] as JsonValue }],
      };
      return this.#object(wrapped, path, within);
    }
    if (this.#weaker.has(name)) this.#weakerUses++;
    if (!this.#definitions.has(name)) {
      this.#definitions.set(name, true);
      this.#waiting.push(name);
    }
    return isAlone ? node : undefined;
  }

  /** Replaces a reference by its target; if that cannot be inlined, by its type and description. */
  #inline(beside: JsonSchema, name: string, path: string, within: readonly string[]): SchemaNode {
    const target = this.#prepared.definitions.get(name) ?? true;
    if (!this.#mayInline(name, within)) {
      this.#lose(path, "references");
      const remaining = isObject(target)
        ? Object.entries(target).filter(([keyword]) => ["type", "description"].includes(keyword))
        : [];
      return this.#node({ ...Object.fromEntries(remaining), ...beside }, path, within);
    }
    const merged = mergedSchemas(beside, target, {
      ...this.#merging(path, "references"),
      resolved: (one) => one,
    });
    return this.#node(merged, path, [...within, name]);
  }

  #mayInline(name: string, within: readonly string[]): boolean {
    const isNear = !within.includes(name) && within.length < this.#deepest;
    return isNear && ++this.#inlined <= maxInlined;
  }

  /** With the members of `allOf` merged into it, but for those that lead back here. */
  #allOf(node: JsonSchema, path: string, within: readonly string[]): SchemaNode {
    const rest = without(node, "allOf");
    const members = asList(node["allOf"]).filter(isSchemaNode);
    const [only] = members;
    if (members.length === 1 && isObject(only) && Object.keys(only).join() === "$ref") {
      return this.#object({ ...rest, ...only }, path, within);
    }
    const names: string[] = [];
    const remaining = members.filter((member) => {
      const name = isObject(member) ? definitionName(member["$ref"]) : undefined;
      if (name === undefined) return true;
      if (!this.#mayInline(name, within)) {
        this.#lose(stepPointer(path, ["allOf"]), "keywords");
        return false;
      }
      names.push(name);
      return true;
    });
    const flat = mergeAllOf({ ...rest, allOf: remaining }, this.#merging(path));
    return this.#node(flat, path, [...within, ...names]);
  }

  /** Without the words for several schemas that the rules have no room for. */
  #plain(node: JsonSchema, path: string): JsonSchema {
    if (this.#rules.keywords === undefined) return node;
    let at = applicable(node);
    if (Array.isArray(at["oneOf"]) && at["anyOf"] === undefined) {
      // Gemini reads one as the other, and OpenAI knows only the other.
      if (asList(at["oneOf"]).length > 1) this.#lose(stepPointer(path, ["oneOf"]), "keywords");
      const { oneOf, ...rest } = at;
      at = { ...rest, anyOf: oneOf };
    }
    return at;
  }

  /**
   * Copies the keywords beside `anyOf` into each of its schemas: an object can be closed only when it is complete.
   *
   * @returns the schema, and the definitions that are inlined in it.
   */
  #spread(
    node: JsonSchema,
    path: string,
    within: readonly string[],
  ): readonly [JsonSchema, readonly string[]] {
    const { anyOf, ...beside } = node;
    if (!Array.isArray(anyOf)) return [node, within];
    const demanding = Object.entries(beside).filter(([keyword]) => !annotations.has(keyword));
    if (demanding.length === 0) return [node, within];
    const base = Object.fromEntries(demanding);
    const annotationEntries = Object.entries(beside).filter(([keyword]) =>
      annotations.has(keyword),
    );
    const context = this.#merging(path);
    const inlined = [...within];
    const members = asList(anyOf as JsonValue)
      .filter(isSchemaNode)
      .map((member) => {
        const name = isObject(member) ? definitionName(member["$ref"]) : undefined;
        if (name !== undefined && !this.#mayInline(name, within)) {
          throw new Unprojectable(path, "references");
        }
        if (name !== undefined) inlined.push(name);
        return mergedSchemas(base, member, context);
      });
    return [{ ...Object.fromEntries(annotationEntries), anyOf: members }, inlined];
  }

  #below(node: JsonSchema, path: string, within: readonly string[]): JsonSchema {
    const weakened = new Set<string>();
    const projected = mapSubschemas(node, (sub, step) => {
      const [keyword] = step as [string];
      if (keyword === "additionalProperties" && typeof sub === "boolean") return sub;
      const before = this.#losses;
      const changed = this.#node(sub, stepPointer(path, step), within);
      if (this.#losses > before) weakened.add(keyword);
      return changed;
    });
    const isReversed = reversed.some((keyword) => weakened.has(keyword));
    // The removed keywords of a schema beside it may have evaluated properties.
    const isUnsure =
      unevaluated.some((keyword) => projected[keyword] !== undefined) &&
      describingKeywords.some((keyword) => weakened.has(keyword));
    if (!isReversed && !isUnsure) return projected;
    const sure = isUnsure ? without(projected, ...unevaluated) : projected;
    return this.#withoutReversed(sure, weakened, path);
  }

  /** Removes keywords that would constrain more, because a schema below constrains less. */
  #withoutReversed(node: JsonSchema, weakened: ReadonlySet<string>, path: string): JsonSchema {
    let at = node;
    if (weakened.has("not")) at = without(at, "not");
    if (weakened.has("if")) at = without(at, "if", "then", "else");
    if (weakened.has("contains")) at = without(at, "maxContains");
    if (weakened.has("oneOf")) {
      const { oneOf, ...rest } = at;
      at = rest["anyOf"] === undefined && oneOf !== undefined ? { ...rest, anyOf: oneOf } : rest;
    }
    this.#lose(path, this.#simplified.at(-1)?.rule ?? "references");
    return at;
  }

  /** Adds the keywords that the rules require. */
  #complete(node: JsonSchema, path: string): JsonSchema {
    const { arrayItems, types, closedObjects, keywords } = this.#rules;
    let at = node;
    if (keywords !== undefined && asList(at["anyOf"]).some(isEmpty)) {
      // One of them accepts everything, and so do all.
      at = without(at, "anyOf");
    }
    if (types !== undefined && at["type"] === undefined && at["anyOf"] === undefined) {
      const known = schemaTypesIn(at);
      if (known === undefined) throw new Unprojectable(path, "types");
      at = { type: known.length === 1 ? (known[0] as string) : known, ...at };
    }
    const { type } = at;
    if (arrayItems === undefined || at["items"] !== undefined) return at;
    if (type !== "array" && !asTexts(type).includes("array")) return at;
    if (closedObjects !== undefined) throw new Unprojectable(path, "arrayItems");
    return { ...at, items: {} };
  }
}
