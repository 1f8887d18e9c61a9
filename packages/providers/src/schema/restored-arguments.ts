import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import {
  isObject,
  isSchemaNode,
  type SchemaNode,
  canonicalJson,
  InexactNumber,
} from "@toolweave/core/adapter";
import { jsonType, asList, asTexts } from "./keywords.ts";
import { definitionName } from "./prepared-schema.ts";
import type { Projection } from "./projection.ts";

/** Values within each other that are looked into. */
const deepest = 100;
/** Schemas that are tried on the values of one call: variants of variants may be without end. */
const maxAttempts = 1_000_000;

/** True when arguments of that projection may have to be restored. */
export function isReversible({ schema, names, nullForAbsent }: Projection): boolean {
  return names.size > 0 || nullForAbsent.has(schema);
}

/**
 * A model's arguments in the form of the tool's own schema: with their own names, and without the `null` of absent
 * properties. A value that does not match the projected schema stays unchanged: the executor reports the problem.
 */
export function restoredArguments(args: JsonObject, projected: Projection): JsonObject {
  const { schema, nullForAbsent } = projected;
  const restored = nullForAbsent.has(schema)
    ? (new Restoration(projected).restored(args, schema, 0) as JsonObject)
    : args;
  if (projected.names.size === 0) return restored;
  return Object.fromEntries(
    Object.entries(restored).map(([name, value]) => [projected.names.get(name) ?? name, value]),
  );
}

class Restoration {
  readonly #projected: Projection;
  #left = maxAttempts;

  constructor(projected: Projection) {
    this.#projected = projected;
  }

  restored(value: JsonValue, schema: SchemaNode, depth: number): JsonValue {
    const node = this.#resolved(schema);
    if (node === undefined || depth > deepest) return value;
    if (Array.isArray(node["anyOf"])) {
      const branch = asList(node["anyOf"] as JsonValue).find(
        (one) => isSchemaNode(one) && this.#fits(value, one, depth),
      );
      return branch === undefined ? value : this.restored(value, branch as SchemaNode, depth + 1);
    }
    if (Array.isArray(value)) {
      const { items } = node;
      if (!isSchemaNode(items)) return value;
      return asList(value).map((member) => this.restored(member, items, depth + 1));
    }
    if (!isObject(value) || value instanceof InexactNumber) return value;
    const { properties } = node;
    const absent = this.#projected.nullForAbsent.get(node);
    const entries: [string, JsonValue][] = [];
    for (const [name, member] of Object.entries(value)) {
      if (member === null && absent?.has(name) === true) continue;
      const below = isObject(properties) && Object.hasOwn(properties, name) && properties[name];
      entries.push([name, isSchemaNode(below) ? this.restored(member, below, depth + 1) : member]);
    }
    return Object.fromEntries(entries);
  }

  #resolved(schema: SchemaNode): JsonSchema | undefined {
    let at: unknown = schema;
    for (let hops = 0; hops < deepest; hops++) {
      if (!isObject(at)) return undefined;
      const name = definitionName(at["$ref"]);
      if (name === undefined) return at;
      const definitions = this.#projected.schema["$defs"];
      at = isObject(definitions) && Object.hasOwn(definitions, name) && definitions[name];
    }
    return undefined;
  }

  /** True when a value has the form of a schema: enough to distinguish variants. */
  #fits(value: JsonValue, schema: SchemaNode, depth: number): boolean {
    if (this.#left-- <= 0) return false;
    const node = this.#resolved(schema);
    if (node === undefined || depth > deepest) return schema !== false;
    const { type, anyOf, const: only, enum: values } = node;
    if (type !== undefined && !isOfType(value, typeof type === "string" ? [type] : asTexts(type))) {
      return false;
    }
    if (only !== undefined && !isEqual(only, value)) return false;
    if (Array.isArray(values) && !values.some((one: JsonValue) => isEqual(one, value)))
      return false;
    if (Array.isArray(anyOf)) {
      return anyOf.some((one) => isSchemaNode(one) && this.#fits(value, one, depth + 1));
    }
    if (Array.isArray(value)) {
      const { items } = node;
      return (
        !isSchemaNode(items) || asList(value).every((one) => this.#fits(one, items, depth + 1))
      );
    }
    return !isObject(value) || this.#fitsObject(value, node, depth);
  }

  #fitsObject(value: JsonObject, node: JsonSchema, depth: number): boolean {
    if (!asTexts(node["required"]).every((name) => Object.hasOwn(value, name))) return false;
    const { properties, additionalProperties } = node;
    return Object.entries(value).every(([name, member]) => {
      const below = isObject(properties) && Object.hasOwn(properties, name) && properties[name];
      if (below === false || !isSchemaNode(below)) return additionalProperties !== false;
      return this.#fits(member, below, depth + 1);
    });
  }
}

function isOfType(value: JsonValue, types: readonly string[]): boolean {
  if (typeof value === "bigint" || value instanceof InexactNumber) {
    return types.includes("number") || (types.includes("integer") && typeof value === "bigint");
  }
  const type = jsonType(value);
  return types.includes(type) || (types.includes("integer") && Number.isInteger(value));
}

function isEqual(a: JsonValue, b: JsonValue): boolean {
  return a === b || (typeof a === "object" && canonicalJson(a) === canonicalJson(b));
}
