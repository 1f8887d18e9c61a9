import { methodOnly } from "../parameters/reserved-names.ts";
import type { MediaDescription } from "../document/operation.ts";
import { artifactFiller, mayHoldArtifact } from "./artifact-body-fields.ts";
import { formTextWriter } from "../parameters/form-text.ts";
import { reservedKeyCheck } from "../parameters/reserved-key-check.ts";
import { encodeStrict } from "../parameters/percent-encode.ts";
import type { BodyWriter } from "./body-writer.ts";
import { assertWellFormed, type FieldArgument } from "../parameters/unrepresentable.ts";

/** Writes `application/x-www-form-urlencoded` (OpenAPI 3.2, "Encoding the x-www-form-urlencoded Media Type"). */
export function formBodyWriter(
  media: MediaDescription,
  argument: string,
  argumentOf?: FieldArgument,
): BodyWriter {
  const contentType = media.mediaType;
  const checkKey = reservedKeyCheck(argument, methodOnly);
  const write = formTextWriter(media, argument, checkKey, argumentOf);
  const fill = artifactFiller(media.schema, argumentOf);
  return (value, files) => {
    if (typeof value === "string") {
      assertWellFormed(value, argument);
      for (const key of new URLSearchParams(value).keys()) checkKey(encodeStrict(key));
      return { contentType, body: value };
    }
    const body = write(value);
    return {
      contentType,
      body: mayHoldArtifact(body) ? write(fill(value, files, argument)) : body,
    };
  };
}
