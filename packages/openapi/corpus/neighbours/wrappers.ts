import type { JsonObject, JsonValue } from "@toolweave/core";
import type { Version } from "./traits.ts";

/** Adds a schema to the components and returns a reference to it. */
export type Register = (schema: JsonObject) => JsonObject;

/** A schema around a schema, which leaves its meaning unchanged, or makes a list or a map of it. */
export interface Wrapper {
  readonly name: string;
  /** Undefined: the version has no such schema. */
  wrap(schema: JsonObject, version: Version, register: Register): JsonObject | undefined;
  readonly shape: "one" | "list" | "map";
}

const isJsonSchema = (version: Version): boolean =>
  version.startsWith("3.1") || version.startsWith("3.2");
const hasUnions = (version: Version): boolean => version !== "2.0";
const none = { type: "null" };

/** The schema or null, as the version expresses it. */
function orNull(schema: JsonObject, version: Version): JsonObject {
  if (version === "2.0") return { ...schema, "x-nullable": true };
  if (version === "3.0.3") return { ...schema, nullable: true };
  return { anyOf: [schema, none] };
}

const ones: readonly Omit<Wrapper, "shape">[] = [
  { name: "plain", wrap: (schema) => schema },
  { name: "described", wrap: (schema) => ({ ...schema, title: "Its title", description: "It." }) },
  { name: "nullable", wrap: orNull },
  { name: "in allOf", wrap: (schema) => ({ allOf: [schema] }) },
  { name: "in allOf beside {}", wrap: (schema) => ({ allOf: [schema, {}] }) },
  {
    name: "in allOf with a description",
    wrap: (schema, _, register) => ({ allOf: [register(schema)], description: "It." }),
  },
  { name: "referenced", wrap: (schema, _, register) => register(schema) },
  { name: "referenced twice", wrap: (schema, _, register) => register(register(schema)) },
  {
    name: "referenced with siblings",
    wrap: (schema, _, register) => ({ ...register(schema), description: "It." }),
  },
  {
    name: "referenced to allOf",
    wrap: (schema, _, register) => register({ allOf: [register(schema)] }),
  },
  {
    name: "a nullable reference",
    wrap: (schema, version, register) => orNull(register(schema), version),
  },
  {
    name: "in anyOf",
    wrap: (schema, version) => (hasUnions(version) ? { anyOf: [schema] } : undefined),
  },
  {
    name: "in oneOf",
    wrap: (schema, version) => (hasUnions(version) ? { oneOf: [schema] } : undefined),
  },
  {
    name: "in oneOf beside null",
    wrap: (schema, version) => (isJsonSchema(version) ? { oneOf: [none, schema] } : undefined),
  },
  {
    name: "in anyOf within allOf",
    wrap: (schema, version, register) =>
      hasUnions(version) ? { allOf: [{ anyOf: [register(schema)] }] } : undefined,
  },
  {
    name: "a list of types with null",
    wrap: (schema, version) =>
      isJsonSchema(version) &&
      typeof schema["type"] === "string" &&
      !("enum" in schema) &&
      !("const" in schema)
        ? { ...schema, type: [schema["type"], "null"] }
        : undefined,
  },
  {
    name: "behind a referenced union with null",
    wrap: (schema, version, register) =>
      isJsonSchema(version) ? register({ anyOf: [register(schema), none] }) : undefined,
  },
];

const list = (items: JsonObject): JsonObject => ({ type: "array", items });

const lists: readonly Omit<Wrapper, "shape">[] = [
  { name: "a list", wrap: (schema) => list(schema) },
  { name: "a list of references", wrap: (schema, _, register) => list(register(schema)) },
  { name: "a referenced list", wrap: (schema, _, register) => register(list(schema)) },
  { name: "a list in allOf", wrap: (schema, _, register) => ({ allOf: [register(list(schema))] }) },
  { name: "a nullable list", wrap: (schema, version) => orNull(list(schema), version) },
  { name: "a list of nullable items", wrap: (schema, version) => list(orNull(schema, version)) },
  {
    name: "a list of items in allOf",
    wrap: (schema, _, register) => list({ allOf: [register(schema)] }),
  },
];

const map = (values: JsonObject): JsonObject => ({ type: "object", additionalProperties: values });

const maps: readonly Omit<Wrapper, "shape">[] = [
  { name: "a map", wrap: (schema) => map(schema) },
  { name: "a map of references", wrap: (schema, _, register) => map(register(schema)) },
  { name: "a map of nullable values", wrap: (schema, version) => map(orNull(schema, version)) },
  { name: "a referenced map", wrap: (schema, _, register) => register(map(schema)) },
];

/** All of them. */
export const wrappers: readonly Wrapper[] = [
  ...ones.map((one): Wrapper => ({ ...one, shape: "one" })),
  ...lists.map((one): Wrapper => ({ ...one, shape: "list" })),
  ...maps.map((one): Wrapper => ({ ...one, shape: "map" })),
];

/** The value of a wrapped schema: two items, or one member called `k`. */
export function wrapValue(value: JsonValue, shape: Wrapper["shape"]): JsonValue {
  if (shape === "list") return [value, value];
  return shape === "map" ? { k: value } : value;
}

/** The JSON text of a wrapped value. */
export function wrapJson(json: string, shape: Wrapper["shape"]): string {
  if (shape === "list") return `[${json},${json}]`;
  return shape === "map" ? `{"k":${json}}` : json;
}
