import type { JsonSchema, JsonValue } from "@toolweave/core";
import type { SelfContainedSchema } from "../document/operation.ts";
import { inPlaceSchemas } from "../schema/resolve-schema.ts";
import type { ArtifactFiles } from "./artifact-files.ts";
import { encodedText, isEncodedSchema } from "./binary-content.ts";
import { isJsonObject } from "../json-object.ts";

type Schema = JsonSchema | boolean;

/** Puts the bytes of artifacts, encoded, where a value has their keys. Returns a new value. */
export type ArtifactFiller = (value: JsonValue, files: ArtifactFiles) => JsonValue;

/**
 * Fills the places of encoded bytes (`contentEncoding`, `format: byte`) of a schema; an artifact's key anywhere else is
 * a text like any other.
 */
export function artifactFiller({ schema, defs }: SelfContainedSchema): ArtifactFiller {
  const fill = (value: JsonValue, given: readonly Schema[], files: ArtifactFiles): JsonValue => {
    if (typeof value !== "string" && (typeof value !== "object" || value === null)) return value;
    const schemas = inPlaceSchemas(given, defs);
    if (typeof value === "string") {
      const encoded = schemas.find(isEncodedSchema);
      return encoded === undefined ? value : encodedText(value, encoded as JsonSchema, files);
    }
    if (Array.isArray(value)) {
      return value.map((item: JsonValue, index) =>
        fill(
          item,
          schemas.flatMap((one) => itemSchemas(one, index)),
          files,
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
        ),
      ]),
    );
  };
  return (value, files) => fill(value, [schema], files);
}

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
