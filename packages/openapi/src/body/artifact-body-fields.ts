import type { JsonSchema, JsonValue } from "@toolweave/core";
import { artifactKey } from "@toolweave/core/stores";
import type { SelfContainedSchema } from "../document/operation.ts";
import { collectInPlaceSchemas } from "../schema/resolve-schema.ts";
import type { ArtifactFiles } from "./body-writer.ts";
import { toEncodedText, isEncodedSchema, isPlainBinary } from "./binary-content.ts";
import { isJsonObject } from "../document/record.ts";
import { unrepresentableValueError, type FieldArgument } from "../parameters/unrepresentable.ts";

type Schema = JsonSchema | boolean;
type Definitions = SelfContainedSchema["defs"];

/**
 * Replaces the keys of artifacts in a value by their encoded bytes. Returns a new value.
 *
 * @param argument the argument's name, for errors. Throws `ToolError` `invalid_arguments` for an artifact in a field
 * whose bytes have no text form.
 */
export type ArtifactFiller = (
  value: JsonValue,
  files: ArtifactFiles,
  argument: string,
) => JsonValue;

/**
 * Creates a function that fills the fields of encoded bytes (`contentEncoding`, `format: byte`) of a schema; in any
 * other field an artifact's key is ordinary text. In a field of plain bytes (`format: binary`), an artifact is refused:
 * JSON and forms cannot carry bytes, and the document does not define their encoding.
 *
 * @param toArgument returns the name of a property of the value in errors. Default: `argument.property`.
 */
export function createArtifactFiller(
  { schema, defs }: SelfContainedSchema,
  toArgument?: FieldArgument,
): ArtifactFiller {
  const fill = (
    value: JsonValue,
    given: readonly Schema[],
    files: ArtifactFiles,
    argument: string,
    isRoot = false,
  ): JsonValue => {
    if (typeof value !== "string" && (typeof value !== "object" || value === null)) return value;
    const schemas = collectInPlaceSchemas(given, defs);
    if (typeof value === "string") {
      const encoded = schemas.find(isEncodedSchema);
      if (encoded !== undefined) return toEncodedText(value, encoded, files);
      if (artifactKey(value) === undefined) return value;
      if (!schemas.some((one) => isPlainBinary(one))) return value;
      throw unrepresentableValueError(
        argument,
        "cannot be an artifact: this media type cannot carry bytes, and the document does not define their encoding. Pass the text that the API expects.",
      );
    }
    if (Array.isArray(value)) {
      return value.map((item: JsonValue, index) =>
        fill(
          item,
          schemas.flatMap((one) => getItemSchemas(one, index)),
          files,
          argument,
        ),
      );
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        fill(
          member,
          schemas.flatMap((one) => getMemberSchemas(one, name)),
          files,
          isRoot && toArgument !== undefined ? toArgument(name) : `${argument}.${name}`,
        ),
      ]),
    );
  };
  return (value, files, argument) => fill(value, [schema], files, argument, true);
}

/** Returns true if a value may contain bytes (`format: binary`), which JSON and forms cannot carry. */
export function containsBytes(schema: Schema, defs: Definitions): boolean {
  if (typeof schema === "boolean") return false;
  let known = bytesWithin.get(schema);
  if (known === undefined) {
    known = findBytes(schema, defs);
    bytesWithin.set(schema, known);
  }
  return known;
}

/** Cached, because the media types of a body, and operations, share their schemas. */
const bytesWithin = new WeakMap<JsonSchema, boolean>();

function findBytes(schema: JsonSchema, defs: Definitions): boolean {
  const open: Schema[] = [schema];
  const seen = new Set<JsonSchema>();
  // Schemas that are added during the iteration are visited too.
  for (const next of open) {
    for (const one of collectInPlaceSchemas([next], defs)) {
      if (seen.has(one)) continue;
      if (seen.size === maxSchemas) return false;
      seen.add(one);
      if (isPlainBinary(one)) return true;
      const { properties, additionalProperties, items, prefixItems } = one;
      if (isJsonObject(properties)) open.push(...Object.values(properties).flatMap(toSchemas));
      open.push(...toSchemas(additionalProperties), ...toSchemas(items));
      if (Array.isArray(prefixItems)) open.push(...prefixItems.flatMap(toSchemas));
    }
  }
  return false;
}

const maxSchemas = 2000;

/** Returns true if the text of a body may contain an artifact's key. */
export function mayContainArtifact(text: string): boolean {
  return text.includes("art_");
}

function getItemSchemas(schema: Schema, index: number): Schema[] {
  if (typeof schema === "boolean") return [];
  const { prefixItems, items } = schema;
  const own = Array.isArray(prefixItems) ? (prefixItems as Schema[])[index] : undefined;
  return own === undefined ? toSchemas(items) : [own];
}

function getMemberSchemas(schema: Schema, name: string): Schema[] {
  if (typeof schema === "boolean") return [];
  const { properties, additionalProperties } = schema;
  return isJsonObject(properties) && Object.hasOwn(properties, name)
    ? toSchemas(properties[name])
    : toSchemas(additionalProperties);
}

function toSchemas(schema: unknown): Schema[] {
  return isJsonObject(schema) ? [schema as JsonSchema] : [];
}
