import type { JsonObject } from "../json/json.ts";
import { base64ToBytes, bytesToBase64 } from "../text/base64.ts";
import type { VectorCache } from "./tool-embedder.ts";

/** A vector in bytes: a quarter of the memory, and the same order of results. */
export interface Vector {
  readonly values: Int8Array;
  /** 1 divided by the length of `values`. */
  readonly scale: number;
}

/** Vectors in one entry of the cache; the oldest are dropped first. There is an entry for each first digit of a hash. */
const maxVectors = 4096;

/** @throws TypeError for values that are not finite numbers. */
export function toVector(numbers: readonly number[]): Vector {
  let max = 0;
  for (const number of numbers) {
    if (typeof number !== "number" || !Number.isFinite(number)) {
      throw new TypeError("a vector has a value that is no finite number");
    }
    max = Math.max(max, Math.abs(number));
  }
  return scaled(Int8Array.from(numbers, (number) => Math.round((number / (max || 1)) * 127)));
}

/** The cosine of the angle between two vectors of the same length: -1 to 1. */
export function similarity(one: Vector, other: Vector): number {
  const { values } = one;
  const others = other.values;
  let sum = 0;
  for (let place = 0; place < values.length; place++) {
    sum += (values[place] as number) * (others[place] as number);
  }
  return sum * one.scale * other.scale;
}

function scaled(values: Int8Array): Vector {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return { values, scale: length === 0 ? 0 : 1 / length };
}

/** Vectors of one embedder in a cache, by the hash of their text. */
export class StoredVectors {
  readonly #cache: VectorCache;
  readonly #prefix: string;

  constructor(cache: VectorCache, embedderId: string) {
    this.#cache = cache;
    this.#prefix = `embeddings:${embedderId}:`;
  }

  /** The stored ones of these vectors, by hash. Entries that cannot be read count as missing. */
  async read(hashes: readonly string[]): Promise<ReadonlyMap<string, Vector>> {
    const found = new Map<string, Vector>();
    for (const [shard, members] of byShard(hashes)) {
      const stored = await this.#shard(shard);
      for (const hash of members) {
        const text = stored[hash];
        const bytes = typeof text === "string" ? base64ToBytes(text) : undefined;
        if (bytes !== undefined) found.set(hash, scaled(new Int8Array(bytes.buffer)));
      }
    }
    return found;
  }

  /** Adds vectors. Of two concurrent writes one may be lost. */
  async add(vectors: ReadonlyMap<string, Vector>): Promise<void> {
    for (const [shard, hashes] of byShard(vectors.keys())) {
      const added = hashes.map((hash) => {
        const { values } = vectors.get(hash) as Vector;
        return [hash, bytesToBase64(new Uint8Array(values))] as const;
      });
      const all = [...Object.entries(await this.#shard(shard)), ...added];
      await this.#cache.set(this.#prefix + shard, Object.fromEntries(all.slice(-maxVectors)));
    }
  }

  async #shard(shard: string): Promise<JsonObject> {
    const value = await this.#cache.get(this.#prefix + shard);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : {};
  }
}

function byShard(hashes: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const shards = new Map<string, string[]>();
  for (const hash of hashes) {
    const shard = hash.slice(0, 1);
    shards.set(shard, [...(shards.get(shard) ?? []), hash]);
  }
  return shards;
}
