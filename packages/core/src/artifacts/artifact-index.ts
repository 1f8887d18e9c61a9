import type { Awaitable } from "../json/json.ts";
import type { StoredArtifact } from "./artifact-store.ts";

/** An artifact that can be read, and the place of its bytes. */
export interface IndexedArtifact {
  readonly artifact: StoredArtifact;
  /** As it was passed to `complete`. */
  readonly place: string;
}

/** An artifact whose bytes one process is about to delete. */
export interface RemovableArtifact {
  readonly key: string;
  /** As it was last passed to `reserve` or `complete`. */
  readonly place: string;
  /** Identifies this removal. */
  readonly token: string;
}

/**
 * The rows of artifacts whose bytes are somewhere else, such as in a bucket. A row is added before the first byte is
 * written, and removed after the last one is deleted, so that there are never bytes without a row.
 *
 * A row is `writing` until `complete`, then ready until it expires, and then `deleting`. A process that writes or deletes
 * has a lease on the row; after its end, another process deletes the bytes. All times are the index's own.
 *
 * Every method throws `store_unavailable` if the index cannot be reached. The operation may have been done then.
 */
export interface ArtifactIndex {
  /**
   * Adds the row of an artifact that is about to be written. Its bytes count against the quotas from now on.
   *
   * @param place where the bytes will be: a text that only the store of the bytes reads.
   * @param leaseMs milliseconds until the write counts as interrupted.
   * @returns the token of the writer.
   * @throws ToolError `limit_exceeded` when a quota is used up, `internal` for a key that has a row.
   */
  reserve(artifact: StoredArtifact, place: string, leaseMs: number): Awaitable<string>;
  /** Extends the lease of a writer. False: the row was taken for removal. */
  renew(key: string, token: string, leaseMs: number): Awaitable<boolean>;
  /** Makes the artifact readable. False: the row was taken for removal. */
  complete(key: string, token: string, place: string): Awaitable<boolean>;
  /** `undefined`: there is no artifact of that key that can be read. */
  get(key: string): Awaitable<IndexedArtifact | undefined>;
  /**
   * Takes one artifact for removal: from now on it cannot be read.
   *
   * @param writer only if the row is that of the writer with this token. Default: any row.
   * @returns `undefined`: there is no such row, or another process is deleting it.
   */
  take(key: string, leaseMs: number, writer?: string): Awaitable<RemovableArtifact | undefined>;
  /** Takes up to `max` artifacts for removal that have expired, or whose writer or remover has lost its lease. */
  takeExpired(max: number, leaseMs: number): Awaitable<readonly RemovableArtifact[]>;
  /**
   * Removes a row after its bytes were deleted. If the write was interrupted, its bytes may still arrive: the row is
   * returned by `takeExpired` once more after `leaseMs`, and is removed then. It no longer counts against the quotas.
   */
  remove(removable: RemovableArtifact, leaseMs: number): Awaitable<void>;
}
