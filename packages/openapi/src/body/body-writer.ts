import type { JsonValue } from "@toolweave/core";
import type { ArtifactFiles } from "./artifact-files.ts";

/** A body as it travels. */
export interface EncodedBody {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

/**
 * Writes the body argument. Throws `ToolError` `invalid_arguments` for a value that the media type
 * cannot carry.
 */
export type BodyWriter = (value: JsonValue, files: ArtifactFiles) => EncodedBody;
