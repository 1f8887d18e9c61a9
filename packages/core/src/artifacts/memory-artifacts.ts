import { checkOptions } from "../contract/check-options.ts";
import { atLeastZero } from "../contract/option-checks.ts";
import type { Clock } from "../time/clock.ts";
import { systemClock } from "../time/clock.ts";
import { ToolError } from "../contract/tool-error.ts";
import { quotaOwner } from "../contract/caller.ts";
import type { ArtifactStore, StoredArtifact } from "./artifact-store.ts";

/** Options of `memoryArtifacts`. */
export interface MemoryArtifactsOptions {
  /** Maximum bytes of all artifacts together, each with 512 for its metadata. Default: 268,435,456 (256 MiB). */
  readonly maxBytes?: number;
  /** Maximum bytes of one owner (see `quotaOwner`), counted as for `maxBytes`. Default: `maxBytes`. */
  readonly maxBytesPerOwner?: number;
  /** Default: the platform's. */
  readonly clock?: Clock;
}

interface Owned {
  readonly keys: Set<string>;
  bytes: number;
}

interface StoredEntry {
  readonly artifact: StoredArtifact;
  readonly data: Uint8Array;
  readonly bytes: number;
}

/**
 * Stores artifacts in memory, until the process ends. If there is no room for another one, the oldest of the owner that
 * would then have the most are dropped, so that an owner that stores without end loses its own. The oldest of an owner
 * are also dropped when it would exceed `maxBytesPerOwner`.
 *
 * @throws ToolError `invalid_configuration` when an option is not valid. Its `put` throws `limit_exceeded` for data that is larger
 * than a whole quota.
 */
export function memoryArtifacts(options: MemoryArtifactsOptions = {}): ArtifactStore {
  checkOptions("memoryArtifacts", options, ["maxBytes", "maxBytesPerOwner", "clock"]);
  const { maxBytes = 268_435_456, clock = systemClock } = options;
  const { maxBytesPerOwner = maxBytes } = options;
  for (const [name, value] of Object.entries({ maxBytes, maxBytesPerOwner })) {
    atLeastZero.check(name, value);
  }
  return new MemoryArtifacts(maxBytes, Math.min(maxBytes, maxBytesPerOwner), clock);
}

class MemoryArtifacts implements ArtifactStore {
  readonly #maxBytes: number;
  readonly #maxBytesPerOwner: number;
  readonly #clock: Clock;
  /** Oldest first, as are the keys of each owner. */
  readonly #kept = new Map<string, StoredEntry>();
  readonly #owners = new Map<string, Owned>();
  #bytes = 0;

  constructor(maxBytes: number, maxBytesPerOwner: number, clock: Clock) {
    this.#maxBytes = maxBytes;
    this.#maxBytesPerOwner = maxBytesPerOwner;
    this.#clock = clock;
  }

  put(artifact: StoredArtifact, data: Uint8Array): void {
    const { key } = artifact;
    const bytes = data.byteLength + 512;
    if (bytes > this.#maxBytesPerOwner) {
      throw new ToolError(
        "limit_exceeded",
        `An artifact of ${data.byteLength} bytes is larger than the whole store (${this.#maxBytesPerOwner}).`,
      );
    }
    this.delete(key);
    this.#dropExpired();
    const owner = quotaOwner(artifact.owner);
    while ((this.#owners.get(owner)?.bytes ?? 0) + bytes > this.#maxBytesPerOwner) {
      this.#dropOldest(owner);
    }
    while (this.#bytes + bytes > this.#maxBytes) this.#dropOldest(this.#largest(owner, bytes));
    // Copies, so that the stored data cannot change. Not `slice`: that of a Buffer shares its memory.
    this.#kept.set(key, { artifact: { ...artifact }, data: new Uint8Array(data), bytes });
    this.#bytes += bytes;
    let own = this.#owners.get(owner);
    if (own === undefined) this.#owners.set(owner, (own = { keys: new Set(), bytes: 0 }));
    own.keys.add(key);
    own.bytes += bytes;
  }

  #dropOldest(owner: string): void {
    const [oldest] = this.#owners.get(owner)?.keys ?? [];
    this.delete(oldest as string);
  }

  /** The owner that would have the most if `owner` had that many bytes more. */
  #largest(owner: string, more: number): string {
    let largest: string | undefined;
    let most = -Infinity;
    for (const [name, { bytes }] of this.#owners) {
      const would = name === owner ? bytes + more : bytes;
      if (would <= most) continue;
      most = would;
      largest = name;
    }
    return largest as string;
  }

  head(key: string): StoredArtifact | undefined {
    const found = this.#live(key);
    return found && { ...found.artifact };
  }

  read(key: string, offset: number, length: number): Uint8Array | undefined {
    return this.#live(key)?.data.slice(offset, offset + length);
  }

  delete(key: string): void {
    const found = this.#kept.get(key);
    if (found === undefined) return;
    const owner = quotaOwner(found.artifact.owner);
    this.#kept.delete(key);
    this.#bytes -= found.bytes;
    const own = this.#owners.get(owner);
    if (own === undefined) return;
    own.keys.delete(key);
    own.bytes -= found.bytes;
    if (own.keys.size === 0) this.#owners.delete(owner);
  }

  #live(key: string): StoredEntry | undefined {
    const found = this.#kept.get(key);
    if (found === undefined || found.artifact.expiresAt > this.#clock.now()) return found;
    this.delete(key);
    return undefined;
  }

  /**
   * Artifacts mostly expire in the order in which they were stored, so the search stops at the first one that is valid.
   */
  #dropExpired(): void {
    const now = this.#clock.now();
    for (const [key, { artifact }] of this.#kept) {
      if (artifact.expiresAt > now) return;
      this.delete(key);
    }
  }
}
