import type { Awaitable } from "../json/json.ts";

/** What is known of a stored artifact, beside its bytes. */
export interface StoredArtifact {
  /** `art_` and 32 hexadecimal digits: cannot be guessed, and is safe as a file's name. */
  readonly key: string;
  /** Whose it is: made by the executor of session and caller, and compared as a whole. */
  readonly owner: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  readonly name?: string;
  /** The output was longer than what is captured at all. */
  readonly truncated?: true;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch; gone afterwards. */
  readonly expiresAt: number;
}

/**
 * Keeps what is too large or too binary for a model. The executor decides who may read what, and has
 * redacted what it hands over; a store only keeps it.
 */
export interface ArtifactStore {
  /**
   * Keeps `data` whole or not at all.
   *
   * @throws ToolError `limit_exceeded` when its quota is used up, `store_unavailable` when it cannot
   * write. Neither loses the call: its output is cut instead.
   */
  put(artifact: StoredArtifact, data: Uint8Array): Awaitable<void>;
  /** `undefined`: there is none of that key, or it has expired. */
  head(key: string): Awaitable<StoredArtifact | undefined>;
  /** At most `length` bytes from `offset` on; `undefined`: there is none of that key any more. */
  read(key: string, offset: number, length: number): Awaitable<Uint8Array | undefined>;
  /** Removes it, if it is there. */
  delete(key: string): Awaitable<void>;
}
