import type { JsonSchema, JsonValue } from "@toolweave/core";
import { isObject, resolveReference } from "@toolweave/core/adapter";

/** The JSON types, as far as reading a text is concerned: `integer` counts as `number`. */
export type JsonType = "string" | "number" | "boolean" | "null" | "array" | "object";

const maxReferences = 32;

/**
 * The view of a schema that is needed to read the text of an argument. Whether the value is
 * right, the executor's validation decides.
 */
export class SchemaView {
  readonly #root: JsonSchema;
  /** The schema and, transitively, what it is composed of. */
  readonly #parts: readonly JsonSchema[];

  /** @param root what `#` in references means. Default: the schema itself. */
  constructor(schema: JsonValue | undefined, root?: JsonSchema) {
    const subject = isObject(schema) ? schema : {};
    this.#root = root ?? subject;
    this.#parts = collectParts(subject, this.#root);
  }

  /** The types that a value may have; undefined: any. */
  get types(): ReadonlySet<JsonType> | undefined {
    const direct = declaredTypes(this.#parts[0] as JsonSchema);
    const types = new Set(direct.length > 0 ? direct : this.#parts.flatMap(declaredTypes));
    return types.size === 0 ? undefined : types;
  }

  /** The values that `enum` and `const` name. */
  get values(): readonly JsonValue[] {
    return this.#parts.flatMap(declaredValues);
  }

  /** True for a text that contains bytes as base64. */
  get isBase64(): boolean {
    return this.#parts.some(
      ({ contentEncoding, format }) => contentEncoding === "base64" || format === "byte",
    );
  }

  /** The schema of an array's items. */
  get items(): SchemaView {
    return this.#view(this.#parts.find(({ items }) => isObject(items))?.["items"]);
  }

  /** The names of an object's declared properties. */
  get propertyNames(): string[] {
    return [...new Set(this.#parts.flatMap((part) => Object.keys(getProperties(part))))];
  }

  /** A declared property. */
  property(name: string): SchemaView | undefined {
    const part = this.#parts.find((part) => Object.hasOwn(getProperties(part), name));
    return part === undefined ? undefined : this.#view(getProperties(part)[name]);
  }

  /** The schema of undeclared properties; undefined: there may be none. */
  get additional(): SchemaView | undefined {
    const objects = this.#parts.filter((part) => declaredTypes(part).includes("object"));
    const open = objects.filter(
      ({ additionalProperties, patternProperties }) =>
        additionalProperties !== false || isObject(patternProperties),
    );
    if (objects.length > 0 && open.length === 0) return undefined;
    const described = open.find(({ additionalProperties }) => isObject(additionalProperties));
    return this.#view(described?.["additionalProperties"]);
  }

  #view(schema: JsonValue | undefined): SchemaView {
    return new SchemaView(schema, this.#root);
  }
}

/** The type of a JSON value. */
export function getJsonType(value: JsonValue): JsonType {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as JsonType);
}

/** Each part once, however often it is referred to: schemas may be their own alternatives. */
function collectParts(schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] {
  const parts = new Set<JsonSchema>();
  const add = (schemaPart: JsonValue | undefined): void => {
    if (!isObject(schemaPart)) return;
    const part = followReferences(schemaPart, root);
    if (parts.has(part)) return;
    parts.add(part);
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const branches = part[keyword];
      if (Array.isArray(branches)) branches.forEach(add);
    }
  };
  add(schema);
  return [...parts];
}

function followReferences(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema;
  for (let count = 0; count < maxReferences; count++) {
    const { $ref: reference } = current;
    if (typeof reference !== "string" || !reference.startsWith("#")) return current;
    const target = resolveReference(root, reference);
    if (!isObject(target)) return {};
    current = target;
  }
  return {};
}

function declaredTypes(part: JsonSchema): JsonType[] {
  const { type, items } = part;
  if (type !== undefined) return [type].flat().flatMap(toJsonTypes);
  const values = declaredValues(part);
  if (values.length > 0) return values.map(getJsonType);
  if (Object.keys(getProperties(part)).length > 0 || isObject(part["additionalProperties"])) {
    return ["object"];
  }
  return items === undefined ? [] : ["array"];
}

function toJsonTypes(name: unknown): JsonType[] {
  switch (name) {
    case "integer":
    case "number":
      return ["number"];
    case "string":
    case "boolean":
    case "null":
    case "array":
    case "object":
      return [name];
    default:
      return [];
  }
}

function declaredValues({ enum: values, const: value }: JsonSchema): readonly JsonValue[] {
  if (value !== undefined) return [value];
  return Array.isArray(values) ? (values as readonly JsonValue[]) : [];
}

function getProperties({ properties }: JsonSchema): JsonSchema {
  return isObject(properties) ? properties : {};
}
