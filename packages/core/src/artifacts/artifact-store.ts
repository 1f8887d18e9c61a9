import type { Awaitable } from "../json/json.ts";

/** A stored artifact without its bytes. */
export interface StoredArtifact {
  /** `art_` and 32 hexadecimal digits: cannot be guessed, and is safe as a file name. */
  readonly key: string;
  /** The owner, which the executor derives from session and caller; compared as a whole. */
  readonly owner: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  readonly name?: string;
  /** The output was longer than `maxCapturedBytes`. */
  readonly truncated?: true;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch; removed afterwards. */
  readonly expiresAt: number;
}

/**
 * Stores outputs that are too large or binary. The executor checks access, and redacts the data before it is stored.
 */
export interface ArtifactStore {
  /**
   * Stores `data` completely or not at all.
   *
   * @throws ToolError `limit_exceeded` when its quota is used up, `store_unavailable` when it cannot write. In both
   * cases the call does not fail; its output is truncated instead.
   */
  put(artifact: StoredArtifact, data: Uint8Array): Awaitable<void>;
  /** `undefined`: there is no artifact of that key, or it has expired. */
  head(key: string): Awaitable<StoredArtifact | undefined>;
  /** At most `length` bytes from `offset` on; `undefined`: there is no artifact of that key any more. */
  read(key: string, offset: number, length: number): Awaitable<Uint8Array | undefined>;
  /** Deletes the artifact, if it exists. */
  delete(key: string): Awaitable<void>;
}

const form = /^(?:artifact:)?(art_[0-9a-f]{32})$/;

/** Creates a key: 128 random bits. */
export function newArtifactKey(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return `art_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * The key of an artifact in an argument that may be one: `art_…`, or `artifact:art_…`. `undefined`: it is not a key.
 */
export function artifactKey(value: unknown): string | undefined {
  return typeof value === "string" && value.length < 50 ? form.exec(value)?.[1] : undefined;
}
