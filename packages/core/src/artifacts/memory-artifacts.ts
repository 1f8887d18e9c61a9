import { checkOptions, isAtLeastZero } from "../check-options.ts";
import type { Clock } from "../executor/clock.ts";
import { systemClock } from "../executor/clock.ts";
import { shown } from "../shown.ts";
import { ToolError } from "../tool-error.ts";
import type { ArtifactStore, StoredArtifact } from "./artifact-store.ts";

/** What `memoryArtifacts` takes. */
export interface MemoryArtifactsOptions {
  /** Bytes of all artifacts together, each with 512 for what is known of it. Default: 268,435,456 (256 MiB). */
  readonly maxBytes?: number;
  /** Default: the platform's. */
  readonly clock?: Clock;
}

interface Owned {
  readonly keys: Set<string>;
  bytes: number;
}

interface Kept {
  readonly artifact: StoredArtifact;
  readonly data: Uint8Array;
  readonly bytes: number;
}

/**
 * Artifacts in memory: gone with the process. When there is no room for another, the oldest of the
 * owner go first when it would have more than its share, an equal part of `maxBytes` for each owner;
 * otherwise, and after them, the oldest of all.
 *
 * @throws ToolError `internal` when an option makes no sense. Its `put` throws `limit_exceeded` for
 * what is larger than the whole quota.
 */
export function memoryArtifacts(options: MemoryArtifactsOptions = {}): ArtifactStore {
  checkOptions("memoryArtifacts", options, ["maxBytes", "clock"]);
  const { maxBytes = 268_435_456, clock = systemClock } = options;
  if (!isAtLeastZero(maxBytes)) {
    throw new ToolError("internal", `maxBytes is ${shown(maxBytes)}; use 0 or more.`);
  }
  return new MemoryArtifacts(maxBytes, clock);
}

class MemoryArtifacts implements ArtifactStore {
  readonly #maxBytes: number;
  readonly #clock: Clock;
  /** Oldest first, as are the keys of each owner. */
  readonly #kept = new Map<string, Kept>();
  readonly #owners = new Map<string, Owned>();
  #bytes = 0;

  constructor(maxBytes: number, clock: Clock) {
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  put(artifact: StoredArtifact, data: Uint8Array): void {
    const { key, owner } = artifact;
    const bytes = data.byteLength + 512;
    if (bytes > this.#maxBytes) {
      throw new ToolError(
        "limit_exceeded",
        `An artifact of ${data.byteLength} bytes is larger than the whole store (${this.#maxBytes}).`,
      );
    }
    this.delete(key);
    this.#dropExpired();
    while (this.#bytes + bytes > this.#maxBytes) this.#dropFor(owner, bytes);
    // Copies, so that nobody changes what is kept. Not `slice`: a Buffer's shares its memory.
    this.#kept.set(key, { artifact: { ...artifact }, data: new Uint8Array(data), bytes });
    this.#bytes += bytes;
    let own = this.#owners.get(owner);
    if (own === undefined) this.#owners.set(owner, (own = { keys: new Set(), bytes: 0 }));
    own.keys.add(key);
    own.bytes += bytes;
  }

  /** One that fills the store makes room for its own; one that has less than its share does not. */
  #dropFor(owner: string, bytes: number): void {
    const own = this.#owners.get(owner);
    const share = this.#maxBytes / Math.max(1, this.#owners.size);
    const isFull = own !== undefined && own.bytes + bytes > share;
    const [oldest] = isFull ? own.keys : this.#kept.keys();
    this.delete(oldest as string);
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
    const { owner } = found.artifact;
    this.#kept.delete(key);
    this.#bytes -= found.bytes;
    const own = this.#owners.get(owner);
    if (own === undefined) return;
    own.keys.delete(key);
    own.bytes -= found.bytes;
    if (own.keys.size === 0) this.#owners.delete(owner);
  }

  #live(key: string): Kept | undefined {
    const found = this.#kept.get(key);
    if (found === undefined || found.artifact.expiresAt > this.#clock.now()) return found;
    this.delete(key);
    return undefined;
  }

  /** What is stored later mostly expires later: the rest goes when its turn has come. */
  #dropExpired(): void {
    const now = this.#clock.now();
    for (const [key, { artifact }] of this.#kept) {
      if (artifact.expiresAt > now) return;
      this.delete(key);
    }
  }
}
