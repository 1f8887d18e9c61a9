import type { JsonSchema, JsonValue } from "@toolweave/core";
import {
  findInvalidKeyword,
  isObject,
  isSchemaNode,
  mapSubschemas,
  stepPointer,
  subschemas,
  type SchemaNode,
  decodeFragment,
  parsePointer,
  resolvePointer,
  getDialect,
} from "@toolweave/core/adapter";
import { BadSchema } from "./projection-errors.ts";
import { asEntries, without } from "./keywords.ts";

/**
 * A schema in the form of 2020-12: every reference is `#/$defs/<name>` and resolves, and the definitions are in one
 * place. Keywords that only identify schemas are omitted.
 */
export interface PreparedSchema {
  readonly root: JsonSchema;
  readonly definitions: ReadonlyMap<string, SchemaNode>;
}

const prefix = "#/$defs/";
const forgotten = [
  "$schema",
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$recursiveAnchor",
  "$comment",
  "$vocabulary",
  "$defs",
  "definitions",
];

/** The name that a reference of a prepared schema leads to. */
export function definitionName(reference: JsonValue | undefined): string | undefined {
  return typeof reference === "string" && reference.startsWith(prefix)
    ? parsePointer(`/${reference.slice(prefix.length)}`)[0]
    : undefined;
}

/** A reference to a definition. */
function referenceTo(name: string): JsonSchema {
  return { $ref: stepPointer("#/$defs", [name]) };
}

/**
 * Reads a schema of draft-07, 2019-09 or 2020-12.
 *
 * @throws BadSchema when it is no schema, or refers to what is not in it.
 */
export function preparedSchema(schema: unknown): PreparedSchema {
  if (!isObject(schema)) throw new BadSchema("", "The schema is no object.");
  return new Preparation(schema).prepared();
}

type Labels = ReadonlyMap<unknown, JsonSchema>;

class Preparation {
  readonly #whole: JsonSchema;
  readonly #isOld: boolean;
  readonly #names = new Map<SchemaNode, string>();
  readonly #waiting: [string, SchemaNode][] = [];
  /** How many definitions wanted a name. */
  readonly #taken = new Map<string, number>();
  /** The schemas by the keywords that identify them. Made at the first search. */
  #labelled: { readonly ids: Labels; readonly anchors: Labels } | undefined;

  constructor(schema: JsonSchema) {
    this.#whole = schema;
    this.#isOld = getDialect(schema["$schema"]) === "draft-07";
  }

  prepared(): PreparedSchema {
    const root = this.#read(this.#whole, "") as JsonSchema;
    const definitions = new Map<string, SchemaNode>();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const [name, node] = next;
      definitions.set(name, this.#read(node, stepPointer("", ["$defs", name])));
    }
    return { root, definitions };
  }

  #read(node: SchemaNode, path: string): SchemaNode {
    if (typeof node === "boolean") return node;
    const reference = node["$ref"] ?? node["$dynamicRef"] ?? node["$recursiveRef"];
    // Beside a `$ref`, draft-07 ignores everything else.
    if (reference !== undefined && this.#isOld) return this.#reference(reference, path);
    const plain = this.#modern(without(node, ...forgotten, "$ref", "$dynamicRef", "$recursiveRef"));
    const invalid = findInvalidKeyword(plain);
    if (invalid !== undefined) {
      const { keyword, expected } = invalid;
      throw new BadSchema(stepPointer(path, [keyword]), `${keyword} is not ${expected}.`);
    }
    const read = mapSubschemas(plain, (sub, step) => this.#read(sub, stepPointer(path, step)));
    return reference === undefined ? read : { ...this.#reference(reference, path), ...read };
  }

  /** Tuples, dependencies and exclusive limits as 2020-12 writes them. */
  #modern(node: JsonSchema): JsonSchema {
    let modern = node;
    for (const [exclusive, limit] of [
      ["exclusiveMinimum", "minimum"],
      ["exclusiveMaximum", "maximum"],
    ] as const) {
      // Before draft-06 it was a boolean: whether the limit is one of the values.
      if (typeof node[exclusive] !== "boolean") continue;
      const value = node[limit];
      modern =
        node[exclusive] && value !== undefined
          ? { ...without(modern, limit), [exclusive]: value }
          : without(modern, exclusive);
    }
    if (Array.isArray(node["items"])) {
      const { items, additionalItems, ...rest } = modern;
      modern = { ...rest, prefixItems: items as JsonValue };
      if (additionalItems !== undefined) modern = { ...modern, items: additionalItems };
    }
    if (!this.#isOld || !isObject(node["dependencies"])) return modern;
    const members = asEntries(node["dependencies"]);
    const required = members.filter(([, value]) => Array.isArray(value));
    const schemas = members.filter(([, value]) => isSchemaNode(value));
    return {
      ...without(modern, "dependencies"),
      ...(required.length > 0 && { dependentRequired: Object.fromEntries(required) }),
      ...(schemas.length > 0 && { dependentSchemas: Object.fromEntries(schemas) }),
    };
  }

  #reference(reference: JsonValue, path: string): JsonSchema {
    const target = typeof reference === "string" ? this.#find(reference) : undefined;
    if (target === undefined) {
      throw new BadSchema(path, `The schema refers to ${String(reference)}, which is not in it.`);
    }
    let name = this.#names.get(target);
    if (name === undefined) {
      name = this.#newName(String(reference));
      // `true` and `false` are no objects of their own: each reference gets a definition.
      if (typeof target !== "boolean") this.#names.set(target, name);
      this.#waiting.push([name, target]);
    }
    return referenceTo(name);
  }

  /** The last part of the reference, if that name is free. */
  #newName(reference: string): string {
    const last = decodeFragment(reference.slice(reference.lastIndexOf("/") + 1)).replace(
      /^.*#/,
      "",
    );
    const name = last === "" ? "root" : last.replaceAll(/[^\w.-]/g, "_");
    let own = name;
    let more = this.#taken.get(name) ?? 0;
    while (this.#taken.has(own)) own = `${name}_${++more}`;
    this.#taken.set(name, Math.max(more, 1));
    this.#taken.set(own, 1);
    return own;
  }

  #find(reference: string): SchemaNode | undefined {
    const at = reference.indexOf("#");
    const [base, fragment] =
      at < 0 ? [reference, ""] : [reference.slice(0, at), decodeFragment(reference.slice(at + 1))];
    const start =
      base === "" || base === this.#whole["$id"] ? this.#whole : this.#labels().ids.get(base);
    if (start === undefined || fragment === "") return start;
    if (!fragment.startsWith("/")) return this.#labels().anchors.get(fragment);
    const target = resolvePointer(start, fragment);
    return isSchemaNode(target) ? target : undefined;
  }

  #labels(): { readonly ids: Labels; readonly anchors: Labels } {
    if (this.#labelled !== undefined) return this.#labelled;
    const ids = new Map<unknown, JsonSchema>();
    const anchors = new Map<unknown, JsonSchema>();
    const waiting: JsonSchema[] = [this.#whole];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const { $id, $anchor, $dynamicAnchor } = node;
      if (!ids.has($id)) ids.set($id, node);
      if (!anchors.has($anchor)) anchors.set($anchor, node);
      if (!anchors.has($dynamicAnchor)) anchors.set($dynamicAnchor, node);
      for (const [sub] of subschemas(node)) if (typeof sub !== "boolean") waiting.push(sub);
    }
    return (this.#labelled = { ids, anchors });
  }
}
