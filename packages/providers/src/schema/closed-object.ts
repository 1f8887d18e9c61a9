import type { JsonSchema } from "@toolweave/core";
import { isObject, isSchemaNode, type SchemaNode } from "@toolweave/core/adapter";
import { type PreparedSchema, definitionName } from "./prepared-schema.ts";
import { schemaTypesIn, asList, asEntries, asTexts, without } from "./keywords.ts";

/** Schemas that are looked into to find out whether `null` is a value. */
const maxChecked = 500;

/** The form of an object whose properties are all required. */
export interface ClosedObject {
  readonly schema: JsonSchema;
  /** The properties that may be absent in the original, and are `null` then. */
  readonly optional: ReadonlySet<string>;
}

/**
 * An object that names all of its properties as required and has no others.
 *
 * @param original the object before the schemas below were projected.
 * @param projected the same object after that.
 * @returns nothing if that would reject values that the original accepts: keys that have no names; names without a
 * schema; an absent property, if `null` differs from it.
 */
export function closedObject(
  original: JsonSchema,
  projected: JsonSchema,
  prepared: PreparedSchema,
  isRoot: boolean,
): ClosedObject | undefined {
  const { additionalProperties = isRoot ? false : undefined } = original;
  const members = asEntries(projected["properties"]);
  const isOpen =
    additionalProperties === undefined ? members.length === 0 : additionalProperties !== false;
  if (isOpen || original["patternProperties"] !== undefined) return undefined;
  const required = new Set(asTexts(original["required"]));
  const originals = isObject(original["properties"]) ? original["properties"] : {};
  if ([...required].some((name) => !Object.hasOwn(originals, name))) return undefined;

  const optional = new Set<string>();
  const properties: [string, JsonSchema][] = [];
  for (const [name, member] of members) {
    const before = originals[name];
    if (!isObject(member) || !isSchemaNode(before)) return undefined;
    if (required.has(name)) properties.push([name, member]);
    else if (!acceptsNull(before, prepared)) {
      optional.add(name);
      properties.push([name, nullable(member)]);
    } else if (isObject(before) && before["default"] === null) properties.push([name, member]);
    else return undefined;
  }
  const schema = {
    ...projected,
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => name),
    additionalProperties: false,
  };
  return { schema, optional };
}

/** The schema, or `null`. */
function nullable(node: JsonSchema): JsonSchema {
  const { type, anyOf, enum: values, const: value } = node;
  const isPlain = values === undefined && value === undefined && anyOf === undefined;
  // An object stays the object that it is: what is known of it is known by that.
  if (isPlain && typeof type === "string" && type !== "object") {
    return { ...node, type: [type, "null"] };
  }
  if (Array.isArray(anyOf) && Object.keys(without(node, "description")).length === 1) {
    return { ...node, anyOf: [...asList(anyOf), { type: "null" }] };
  }
  return { anyOf: [node, { type: "null" }] };
}

/** In doubt it does: a schema may refer to itself, or to too many schemas to examine. */
function acceptsNull(
  node: SchemaNode,
  prepared: PreparedSchema,
  asked: { left: number } = { left: maxChecked },
): boolean {
  if (typeof node === "boolean" || asked.left-- <= 0) return node !== false;
  const below = (one: unknown): boolean => isSchemaNode(one) && acceptsNull(one, prepared, asked);
  const { $ref, allOf, anyOf, oneOf, const: value, enum: values, not } = node;
  const types = schemaTypesIn(node);
  if (types !== undefined && !types.includes("null")) return false;
  if (value !== undefined && value !== null) return false;
  if (values !== undefined && !asList(values).includes(null)) return false;
  if (isObject(not) && not["type"] === "null") return false;
  const name = definitionName($ref);
  if (name !== undefined && !below(prepared.definitions.get(name))) return false;
  if (Array.isArray(allOf) && !allOf.every(below)) return false;
  if (Array.isArray(anyOf) && !anyOf.some(below)) return false;
  return !Array.isArray(oneOf) || oneOf.some(below);
}
