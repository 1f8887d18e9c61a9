import { artifactKey, type JsonSchema, type JsonValue } from "@toolweave/core";
import type { SelfContainedSchema } from "../document/operation.ts";
import { inPlaceSchemas } from "../schema/resolve-schema.ts";
import type { ArtifactFiles } from "./artifact-files.ts";
import { encodedText, isBinarySchema, isEncodedSchema } from "./binary-content.ts";
import { isJsonObject } from "../document/record.ts";
import { unrepresentableValue, type FieldArgument } from "../parameters/unrepresentable.ts";

type Schema = JsonSchema | boolean;
type Definitions = SelfContainedSchema["defs"];

/**
 * Puts the bytes of artifacts, encoded, where a value has their keys. Returns a new value.
 *
 * @param argument the argument's name, for errors. Throws `ToolError` `invalid_arguments` for an artifact where the schema
 * has bytes that text has no form for.
 */
export type ArtifactFiller = (
  value: JsonValue,
  files: ArtifactFiles,
  argument: string,
) => JsonValue;

/**
 * Fills the places of encoded bytes (`contentEncoding`, `format: byte`) of a schema; an artifact's key anywhere else is
 * a text like any other. Where the schema has plain bytes (`format: binary`), the artifact is refused: JSON and forms
 * have no bytes, and the document does not say how they would be encoded.
 *
 * @param argumentOf what errors call a property of the value. Default: `argument.property`.
 */
export function artifactFiller(
  { schema, defs }: SelfContainedSchema,
  argumentOf?: FieldArgument,
): ArtifactFiller {
  const fill = (
    value: JsonValue,
    given: readonly Schema[],
    files: ArtifactFiles,
    argument: string,
    isRoot = false,
  ): JsonValue => {
    if (typeof value !== "string" && (typeof value !== "object" || value === null)) return value;
    const schemas = inPlaceSchemas(given, defs);
    if (typeof value === "string") {
      const encoded = schemas.find(isEncodedSchema);
      if (encoded !== undefined) return encodedText(value, encoded, files);
      if (artifactKey(value) === undefined) return value;
      if (!schemas.some((one) => isBinarySchema(one, defs))) return value;
      throw unrepresentableValue(
        argument,
        "cannot be an artifact: this media type has no bytes, and the document does not say how they are encoded. Pass the text that the API expects.",
      );
    }
    if (Array.isArray(value)) {
      return value.map((item: JsonValue, index) =>
        fill(
          item,
          schemas.flatMap((one) => itemSchemas(one, index)),
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
          schemas.flatMap((one) => memberSchemas(one, name)),
          files,
          isRoot && argumentOf !== undefined ? argumentOf(name) : `${argument}.${name}`,
        ),
      ]),
    );
  };
  return (value, files, argument) => fill(value, [schema], files, argument, true);
}

/** True when a value may hold bytes (`format: binary`) that JSON and forms have no form for. */
export function holdsBytes(schema: Schema, defs: Definitions): boolean {
  if (typeof schema === "boolean") return false;
  let known = bytesWithin.get(schema);
  if (known === undefined) {
    known = findBytes(schema, defs);
    bytesWithin.set(schema, known);
  }
  return known;
}

/** Media types of one body, and operations, share their schemas. */
const bytesWithin = new WeakMap<JsonSchema, boolean>();

function findBytes(schema: JsonSchema, defs: Definitions): boolean {
  const open: Schema[] = [schema];
  const seen = new Set<JsonSchema>();
  // What is added meanwhile is met, too.
  for (const next of open) {
    for (const one of inPlaceSchemas([next], defs)) {
      if (seen.has(one)) continue;
      if (seen.size === maxSchemas) return false;
      seen.add(one);
      if (isBinarySchema(one, defs)) return true;
      const { properties, additionalProperties, items, prefixItems } = one;
      if (isJsonObject(properties)) open.push(...Object.values(properties).flatMap(listed));
      open.push(...listed(additionalProperties), ...listed(items));
      if (Array.isArray(prefixItems)) open.push(...prefixItems.flatMap(listed));
    }
  }
  return false;
}

const maxSchemas = 2000;

/** True for the text of a body that may hold an artifact's key. */
export function mayHoldArtifact(text: string): boolean {
  return text.includes("art_");
}

function itemSchemas(schema: Schema, index: number): Schema[] {
  if (typeof schema === "boolean") return [];
  const { prefixItems, items } = schema;
  const own = Array.isArray(prefixItems) ? (prefixItems as Schema[])[index] : undefined;
  return own === undefined ? listed(items) : [own];
}

function memberSchemas(schema: Schema, name: string): Schema[] {
  if (typeof schema === "boolean") return [];
  const { properties, additionalProperties } = schema;
  return isJsonObject(properties) && Object.hasOwn(properties, name)
    ? listed(properties[name])
    : listed(additionalProperties);
}

function listed(schema: unknown): Schema[] {
  return isJsonObject(schema) ? [schema as JsonSchema] : [];
}
