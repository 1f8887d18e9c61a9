import type { JsonValue } from "@toolweave/core";

/** A body as it is sent. */
export interface EncodedBody {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

/** Writes the body argument. Throws `ToolError` `invalid_arguments` for a value that the media type cannot carry. */
export type BodyWriter = (value: JsonValue, files: ArtifactFiles) => EncodedBody;

/** Bytes of a request's body, with their metadata if they come from an artifact. */
export interface BodyFile {
  readonly bytes: Uint8Array;
  readonly mediaType?: string;
  readonly name?: string;
  /** The artifact has not been read yet: the request is planned without its bytes. */
  readonly pending?: true;
}

/** Returns the file that is stored under a key that an argument contains instead of base64. */
export type ArtifactFiles = (key: string) => BodyFile;

/** A placeholder for an artifact that has not been read yet. */
export const pendingFile: BodyFile = { bytes: new Uint8Array(), pending: true };

/** For a request that is displayed and not sent. */
export const noFiles: ArtifactFiles = () => pendingFile;
