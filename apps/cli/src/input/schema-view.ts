import type { JsonSchema, JsonValue } from "@toolweave/core";

/** The JSON types, as far as reading a text is concerned: `integer` counts as `number`. */
export type JsonType = "string" | "number" | "boolean" | "null" | "array" | "object";

const mostReferences = 32;

/**
 * What a schema says about the text of an argument: just enough to read it. Whether the value is
 * right, the executor's validation decides.
 */
export class SchemaView {
  readonly #root: JsonSchema;
  /** The schema and, transitively, what it is composed of. */
  readonly #parts: readonly JsonSchema[];

  /** @param root what `#` in references means. Default: the schema itself. */
  constructor(schema: JsonValue | undefined, root?: JsonSchema) {
    const own = isRecord(schema) ? schema : {};
    this.#root = root ?? own;
    this.#parts = partsOf(own, this.#root);
  }

  /** The types that a value may have; undefined: any. */
  get types(): ReadonlySet<JsonType> | undefined {
    const own = typesNamedBy(this.#parts[0] as JsonSchema);
    const types = new Set(own.length > 0 ? own : this.#parts.flatMap(typesNamedBy));
    return types.size === 0 ? undefined : types;
  }

  /** The values that `enum` and `const` name. */
  get values(): readonly JsonValue[] {
    return this.#parts.flatMap(valuesNamedBy);
  }

  /** What an array holds. */
  get items(): SchemaView {
    return this.#view(this.#parts.find(({ items }) => isRecord(items))?.["items"]);
  }

  /** The names of an object's declared properties. */
  get propertyNames(): string[] {
    return [...new Set(this.#parts.flatMap((part) => Object.keys(propertiesOf(part))))];
  }

  /** A declared property. */
  property(name: string): SchemaView | undefined {
    const part = this.#parts.find((part) => Object.hasOwn(propertiesOf(part), name));
    return part === undefined ? undefined : this.#view(propertiesOf(part)[name]);
  }

  /** What an undeclared property may be; undefined: there may be none. */
  get additional(): SchemaView | undefined {
    const objects = this.#parts.filter((part) => typesNamedBy(part).includes("object"));
    const open = objects.filter(
      ({ additionalProperties, patternProperties }) =>
        additionalProperties !== false || isRecord(patternProperties),
    );
    if (objects.length > 0 && open.length === 0) return undefined;
    const described = open.find(({ additionalProperties }) => isRecord(additionalProperties));
    return this.#view(described?.["additionalProperties"]);
  }

  #view(schema: JsonValue | undefined): SchemaView {
    return new SchemaView(schema, this.#root);
  }
}

/** The type of a JSON value. */
export function typeOf(value: JsonValue): JsonType {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as JsonType);
}

/** Each part once, however often it is referred to: schemas may be their own alternatives. */
function partsOf(schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] {
  const parts = new Set<JsonSchema>();
  const add = (given: JsonValue | undefined): void => {
    if (!isRecord(given)) return;
    const part = resolved(given, root);
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

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema;
  for (let count = 0; count < mostReferences; count++) {
    const { $ref: reference } = current;
    if (typeof reference !== "string" || !reference.startsWith("#")) return current;
    const target = targetOf(reference, root);
    if (!isRecord(target)) return {};
    current = target;
  }
  return {};
}

/** The value that a JSON pointer in a URI fragment means (RFC 6901 section 6). */
function targetOf(reference: string, root: JsonSchema): unknown {
  let target: unknown = root;
  for (const token of reference.slice(1).split("/").slice(1)) {
    const key = decoded(token).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) {
      return undefined;
    }
    target = (target as Record<string, unknown>)[key];
  }
  return target;
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

function typesNamedBy(part: JsonSchema): JsonType[] {
  const { type, items } = part;
  if (type !== undefined) return [type].flat().flatMap(typeNamed);
  const values = valuesNamedBy(part);
  if (values.length > 0) return values.map(typeOf);
  if (Object.keys(propertiesOf(part)).length > 0 || isRecord(part["additionalProperties"])) {
    return ["object"];
  }
  return items === undefined ? [] : ["array"];
}

function typeNamed(name: unknown): JsonType[] {
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

function valuesNamedBy({ enum: values, const: value }: JsonSchema): readonly JsonValue[] {
  if (value !== undefined) return [value];
  return Array.isArray(values) ? (values as readonly JsonValue[]) : [];
}

function propertiesOf({ properties }: JsonSchema): JsonSchema {
  return isRecord(properties) ? properties : {};
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
