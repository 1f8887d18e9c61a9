import type { JsonObject, JsonValue } from "@toolweave/core";
import { getItemSchemas, isObject, resolveReference } from "@toolweave/core/adapter";
import { toLiteral } from "../builtins/stubs.ts";

/** How much of a schema is written. */
export interface TypeBounds {
  /** Characters. A schema is written as deep as it fits. */
  readonly maxLength: number;
  /** Levels of objects and lists. */
  readonly maxDepth: number;
}

const maxLiterals = 12;
const maxReferences = 8;

/** A schema was longer than it may be. */
class TooLong extends Error {}

/**
 * A JSON schema as a type in Python's form, with dicts inline: `list[{"id": int, "state": Literal["open", "closed"],
 * "note"?: str}]`. A key with `?` can be missing. What does not fit is cut: an inner level becomes `dict` or `list`, and
 * the outer one ends with the number of keys that are left out.
 */
export function writeType(schema: unknown, bounds: TypeBounds): string {
  const root = isObject(schema) ? schema : {};
  let best: string | undefined;
  for (let depth = 1; depth <= bounds.maxDepth; depth++) {
    const writer = new TypeWriter(root, bounds.maxLength, depth);
    try {
      const written = writer.write(schema, 0, 0);
      best = written;
      if (!writer.wasCut) break;
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      break;
    }
  }
  if (best !== undefined) return best;
  return new TypeWriter(root, bounds.maxLength, 1, true).write(schema, 0, 0);
}

class TypeWriter {
  readonly #root: JsonObject;
  readonly #maxLength: number;
  readonly #maxDepth: number;
  readonly #cutsKeys: boolean;
  #length = 0;
  /** Something was deeper than it may be. */
  wasCut = false;

  constructor(root: JsonObject, maxLength: number, maxDepth: number, cutsKeys = false) {
    this.#root = root;
    this.#maxLength = maxLength;
    this.#maxDepth = maxDepth;
    this.#cutsKeys = cutsKeys;
  }

  write(schema: unknown, depth: number, references: number): string {
    if (schema === false) return "Never";
    if (!isObject(schema)) return "Any";
    const reference = schema["$ref"];
    if (reference !== undefined) {
      if (references >= maxReferences) return this.#cut("Any");
      return this.write(resolveReference(this.#root, reference), depth, references + 1);
    }
    const { const: constant, enum: values, type, allOf } = schema;
    if (constant !== undefined) return this.#literals([constant]);
    if (Array.isArray(values)) return this.#literals(values);
    const choices = schema["oneOf"] ?? schema["anyOf"];
    const hasOwnShape = isObject(schema["properties"]);
    if (Array.isArray(choices) && !hasOwnShape)
      return withNull(
        this.#union(choices.map((each) => this.write(each, depth, references))),
        schema,
      );
    if (Array.isArray(allOf))
      return withNull(this.write(merge(this.#root, schema, allOf), depth, references + 1), schema);
    if (Array.isArray(type)) {
      return this.#union(
        type.map((each) =>
          this.write({ ...schema, type: each, nullable: false }, depth, references),
        ),
      );
    }
    return withNull(this.#writePlain(schema, type, depth, references), schema);
  }

  #writePlain(
    schema: JsonObject,
    type: JsonValue | undefined,
    depth: number,
    references: number,
  ): string {
    switch (type) {
      case "string":
        return this.#add("str");
      case "integer":
        return this.#add("int");
      case "number":
        return this.#add("float");
      case "boolean":
        return this.#add("bool");
      case "null":
        return this.#add("None");
      case "array":
        return this.#writeList(schema, depth, references);
      case "object":
        return this.#writeDict(schema, depth, references);
      default:
        if (isObject(schema["properties"])) return this.#writeDict(schema, depth, references);
        if (schema["items"] !== undefined) return this.#writeList(schema, depth, references);
        return this.#add("Any");
    }
  }

  #writeList(schema: JsonObject, depth: number, references: number): string {
    const { prefix, rest } = getItemSchemas(schema);
    const items = [...prefix, ...(rest === undefined || rest === false ? [] : [rest])];
    if (items.length === 0) return this.#add("list");
    if (depth >= this.#maxDepth) return this.#cut("list");
    this.#add("list[]");
    const written = this.#union(items.map((item) => this.write(item, depth + 1, references)));
    return written === "Any" ? "list" : `list[${written}]`;
  }

  #writeDict(schema: JsonObject, depth: number, references: number): string {
    const properties = isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
    const further = schema["additionalProperties"];
    if (properties.length === 0) {
      if (!isObject(further) || Object.keys(further).length === 0) return this.#add("dict");
      if (depth >= this.#maxDepth) return this.#cut("dict");
      this.#add("dict[str, ]");
      return `dict[str, ${this.write(further, depth + 1, references)}]`;
    }
    if (depth >= this.#maxDepth) return this.#cut("dict");
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const members: string[] = [];
    for (const [name, property] of properties) {
      const key = `${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: `;
      if (this.#cutsKeys && this.#length + key.length + 40 > this.#maxLength) {
        members.push(`… ${properties.length - members.length} more keys`);
        break;
      }
      this.#add(`${key}, `);
      members.push(`${key}${this.write(property, depth + 1, references)}`);
    }
    return `{${members.join(", ")}}`;
  }

  #literals(values: readonly unknown[]): string {
    const listed = values.slice(0, maxLiterals).map((value) => toLiteral(value));
    const more = values.length > maxLiterals ? [`… ${values.length - maxLiterals} more`] : [];
    return this.#add(`Literal[${[...listed, ...more].join(", ")}]`);
  }

  #union(types: readonly string[]): string {
    const distinct = [...new Set(types)].filter((type) => type !== "Never");
    return distinct.includes("Any") ? "Any" : distinct.join(" | ");
  }

  #cut(text: string): string {
    this.wasCut = true;
    return this.#add(text);
  }

  #add(text: string): string {
    if ((this.#length += text.length) > this.#maxLength && !this.#cutsKeys) throw new TooLong();
    return text;
  }
}

function withNull(written: string, { nullable }: JsonObject): string {
  return nullable === true && !/\bNone$/.test(written) && written !== "Any"
    ? `${written} | None`
    : written;
}

/** The keywords of all parts of an `allOf` as one schema, as far as a type shows them. */
function merge(root: JsonObject, schema: JsonObject, parts: readonly unknown[]): JsonObject {
  const merged: Record<string, JsonValue> = {};
  const properties: Record<string, JsonValue> = {};
  const required: JsonValue[] = [];
  const { allOf: _, ...own } = schema;
  for (const part of [...parts.slice(0, 20), own]) {
    const target =
      isObject(part) && part["$ref"] !== undefined ? resolveReference(root, part["$ref"]) : part;
    if (!isObject(target)) continue;
    for (const [name, value] of Object.entries(target))
      if (value !== undefined) merged[name] = value;
    if (isObject(target["properties"])) Object.assign(properties, target["properties"]);
    if (Array.isArray(target["required"])) required.push(...target["required"]);
  }
  if (Object.keys(properties).length > 0) Object.assign(merged, { properties, required });
  return merged;
}
