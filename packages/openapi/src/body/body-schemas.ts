import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import type { MediaDescription } from "../document/operation.ts";
import { resolveSchema } from "../schema/resolve-schema.ts";
import { isEncodedSchema } from "./binary-content.ts";

/**
 * Returns the document's schema; the descriptions of properties with encoded bytes mention that an artifact's key is
 * accepted.
 */
export function toJsonArgumentSchema({
  schema: { schema, defs },
}: MediaDescription): JsonSchema | boolean {
  const root = resolveSchema(schema, defs);
  if (typeof root === "boolean") return schema;
  const properties = root["properties"] as
    | Readonly<Record<string, JsonSchema | boolean>>
    | undefined;
  let changed: Record<string, JsonValue> | undefined;
  for (const [name, property] of Object.entries(properties ?? {})) {
    const resolved = resolveSchema(property, defs);
    if (typeof resolved === "boolean" || !isEncodedSchema(resolved)) continue;
    const { description } = resolved;
    const about = typeof description === "string" ? `${description}\n\n` : "";
    changed ??= { ...(properties as JsonObject) };
    changed[name] = {
      ...resolved,
      description: `${about}Base64, or the key of an artifact: art_…`,
    };
  }
  return changed === undefined ? schema : { ...root, properties: changed };
}

/** Creates the schema of a whole body of base64 text. */
export function toEncodedBytesSchema(schema: JsonSchema): JsonSchema {
  const { description } = schema;
  const about = typeof description === "string" ? `${description}\n\n` : "";
  return { ...schema, description: `${about}Base64, or the key of an artifact: art_…` };
}

/** Creates the schema of a text file. */
export function toFileTextSchema(given: JsonSchema | boolean): JsonSchema {
  const { title, description } = typeof given === "boolean" ? ({} as JsonSchema) : given;
  const about = typeof description === "string" ? `${description}\n\n` : "";
  return {
    type: "string",
    ...(typeof title === "string" ? { title } : {}),
    description: `${about}The text, or the key of an artifact: art_…`,
  };
}
