import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import type { MediaDescription, SelfContainedSchema } from "../document/operation.ts";
import { getSchemaTypes, resolveSchema, toPlainSchema } from "../schema/resolve-schema.ts";
import { isEncodedSchema } from "./binary-content.ts";

type Definitions = SelfContainedSchema["defs"];

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
    const described = describeEncoded(property, defs);
    if (described === undefined) continue;
    changed ??= { ...(properties as JsonObject) };
    changed[name] = described;
  }
  return changed === undefined ? schema : { ...root, properties: changed };
}

/** Returns the schema of encoded bytes, or of a list of them, with a description of its argument. */
function describeEncoded(schema: JsonSchema | boolean, defs: Definitions): JsonSchema | undefined {
  const plain = toPlainSchema(schema, defs);
  if (typeof plain === "boolean") return undefined;
  const isEncoded = isEncodedSchema(plain);
  if (!isEncoded && plain["items"] === undefined) return undefined;
  const resolved = resolveSchema(schema, defs) as JsonSchema;
  if (isEncoded) return { ...resolved, description: toEncodedDescription(plain) };
  const { items } = resolved;
  if (items === undefined || !getSchemaTypes(resolved).includes("array")) return undefined;
  const item = describeEncoded(items as JsonSchema | boolean, defs);
  return item === undefined ? undefined : { ...resolved, items: item };
}

/** Creates the schema of a whole body of base64 text. */
export function toEncodedBytesSchema(schema: JsonSchema): JsonSchema {
  return { ...schema, description: toEncodedDescription(schema) };
}

function toEncodedDescription({ description }: JsonSchema): string {
  const about = typeof description === "string" ? `${description}\n\n` : "";
  return `${about}Base64, or the key of an artifact: art_…`;
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
