import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { methodOnly } from "../arguments/reserved-names.ts";
import type { Encoding, MediaDescription } from "../document/operation.ts";
import { ownValue } from "../document/record.ts";
import { resolveSchema } from "../schema/resolve-schema.ts";
import { artifactFiller, mayHoldArtifact } from "./encoded-places.ts";
import { formTextWriter, styledProperty } from "./form-text.ts";
import { keyCheck } from "./key-check.ts";
import { encodeStrict } from "./percent-encode.ts";
import type { BodyWriter } from "./request-body.ts";
import { withoutEmpty } from "./sendable-schema.ts";
import { assertWellFormed } from "./unsendable.ts";

/** What the document says; of a field that is required, without what would not be sent. */
export function formArgumentSchema({
  schema: { schema, defs },
  encoding = {},
}: MediaDescription): JsonSchema | boolean {
  const root = resolveSchema(schema, defs);
  if (typeof root === "boolean") return schema;
  const { properties, required } = root;
  if (!Array.isArray(required) || typeof properties !== "object") return schema;
  let changed: Record<string, JsonValue> | undefined;
  for (const name of required as readonly string[]) {
    const field = ownValue(properties, name) as JsonSchema | boolean | undefined;
    if (field === undefined) continue;
    const own = (ownValue(encoding, name) ?? {}) as Encoding;
    const sendable = withoutEmpty(field, defs, styledProperty(name, own) === undefined);
    if (sendable === field) continue;
    changed ??= { ...(properties as JsonObject) };
    changed[name] = sendable as JsonValue;
  }
  return changed === undefined ? schema : { ...root, properties: changed };
}

/** Writes `application/x-www-form-urlencoded` (OpenAPI 3.2, "Encoding the x-www-form-urlencoded Media Type"). */
export function formBodyWriter(media: MediaDescription, argument: string): BodyWriter {
  const contentType = media.mediaType;
  const checkKey = keyCheck(argument, methodOnly);
  const write = formTextWriter(media, argument, checkKey);
  const fill = artifactFiller(media.schema);
  return (value, files) => {
    if (typeof value === "string") {
      assertWellFormed(value, argument);
      for (const key of new URLSearchParams(value).keys()) checkKey(encodeStrict(key));
      return { contentType, body: value };
    }
    const body = write(value);
    return { contentType, body: mayHoldArtifact(body) ? write(fill(value, files)) : body };
  };
}
