/** Bytes of a request's body, and what is known of them when they come from an artifact. */
export interface BodyFile {
  readonly bytes: Uint8Array;
  readonly mediaType?: string;
  readonly name?: string;
  /** The artifact has not been read yet: the request is planned without its bytes. */
  readonly pending?: true;
}

/** Gives what is stored under a key that stands in an argument instead of base64. */
export type ArtifactFiles = (key: string) => BodyFile;

/** Stands for an artifact that has not been read yet. */
export const pendingFile: BodyFile = { bytes: new Uint8Array(), pending: true };

/** For a request that is shown and not sent. */
export const noFiles: ArtifactFiles = () => pendingFile;
