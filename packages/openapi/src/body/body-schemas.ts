import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import type { MediaDescription } from "../document/operation.ts";
import { resolveSchema } from "../schema/resolve-schema.ts";
import { isEncodedSchema } from "./binary-content.ts";

/** What the document says; of a property that is encoded bytes, that an artifact's key will do. */
export function jsonArgumentSchema({
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

/** What the model passes for a whole body of base64 text. */
export function encodedBytesSchema(schema: JsonSchema): JsonSchema {
  const { description } = schema;
  const about = typeof description === "string" ? `${description}\n\n` : "";
  return { ...schema, description: `${about}Base64, or the key of an artifact: art_…` };
}

/** What the model passes for a file of text. */
export function fileTextSchema(given: JsonSchema | boolean): JsonSchema {
  const { title, description } = typeof given === "boolean" ? ({} as JsonSchema) : given;
  const about = typeof description === "string" ? `${description}\n\n` : "";
  return {
    type: "string",
    ...(typeof title === "string" ? { title } : {}),
    description: `${about}The text, or the key of an artifact: art_…`,
  };
}
