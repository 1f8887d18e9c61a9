import { ToolError } from "@toolweave/core";
import type {
  ArtifactIndex,
  ArtifactStore,
  RemovableArtifact,
  StoredArtifact,
} from "@toolweave/core/stores";
import { describedArtifact, endOfRange, isArtifactKey } from "@toolweave/stores/shared";
import type { BucketClient } from "./bucket/bucket-client.ts";
import { bucketError, isUnanswered } from "./bucket/bucket-error.ts";
import { Bucket } from "./bucket/bucket.ts";
import { readObject } from "./object-reader.ts";
import { lostWrite, writeObject, type WriteSizes } from "./object-writer.ts";
import { newObjectName, readPlace, type Place } from "./place.ts";
import { ChunkCipher, sealedSize } from "./sealing/chunk-cipher.ts";
import type { ObjectKeys } from "./sealing/object-keys.ts";

/** The parts of a store of artifacts in a bucket. */
export interface BucketArtifactsOptions {
  readonly index: ArtifactIndex;
  readonly client: BucketClient;
  readonly prefix: string;
  readonly keys: ObjectKeys;
  readonly sizes: WriteSizes;
  /** Milliseconds that a row is leased for. */
  readonly leaseMs: number;
  readonly close: () => Promise<void>;
}

/** A process that writes tries to delete what has expired as often as this, in milliseconds. */
const sweepMs = 60_000;
/** Rows that are taken for removal at a time. */
const maxTaken = 20;
const defaultSwept = 1_000;

/** Artifacts whose bytes are objects of a bucket, and whose rows are in an index. */
export class BucketArtifacts implements ArtifactStore {
  readonly #index: ArtifactIndex;
  readonly #client: BucketClient;
  readonly #bucket: Bucket;
  readonly #options: BucketArtifactsOptions;
  readonly #leaseMs: number;
  #sweepAt = performance.now() + sweepMs;

  constructor(options: BucketArtifactsOptions) {
    this.#options = options;
    this.#index = options.index;
    this.#client = options.client;
    this.#bucket = new Bucket(options.client);
    this.#leaseMs = options.leaseMs;
  }

  async put(artifact: StoredArtifact, data: Uint8Array): Promise<void> {
    describedArtifact(artifact, data);
    this.#sweepSometimes();
    const { key, size } = artifact;
    const { sizes, prefix, keys } = this.#options;
    const seal = keys.newSeal();
    const place: Place = {
      object: newObjectName(prefix),
      bytes: seal === undefined ? size : sealedSize(size),
      ...(size > sizes.maxPutBytes ? { parts: true } : {}),
      ...(seal === undefined ? {} : { seal }),
    };
    const token = await this.#reserve(artifact, place);
    try {
      if (data.byteLength !== size) throw lostWrite();
      const cipher = this.#cipher(key, size, place);
      const renew = () => this.#index.renew(key, token, this.#leaseMs);
      const written = await writeObject(this.#bucket, place, { data, cipher, sizes, renew });
      if (!(await this.#index.complete(key, token, JSON.stringify(written)))) throw lostWrite();
    } catch (error) {
      // If that fails, too, its lease expires.
      await this.#discard(key, token, error).catch(() => {});
      throw error;
    }
  }

  async head(key: string): Promise<StoredArtifact | undefined> {
    return isArtifactKey(key) ? (await this.#index.get(key))?.artifact : undefined;
  }

  async read(key: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    const found = isArtifactKey(key) ? await this.#index.get(key) : undefined;
    if (found === undefined) return undefined;
    const { size } = found.artifact;
    const end = endOfRange(size, offset, length);
    if (end === offset) return new Uint8Array();
    const { name } = this.#client;
    const place = readPlace(found.place);
    if (place === undefined) throw bucketError(name, "is not the place of this artifact");
    const cipher = this.#cipher(key, size, place);
    return readObject(this.#bucket, place, { from: offset, to: end, size, cipher, name });
  }

  async delete(key: string): Promise<void> {
    const taken = isArtifactKey(key) ? await this.#index.take(key, this.#leaseMs) : undefined;
    if (taken !== undefined) await this.#deleteBytes(taken);
  }

  async sweep(max: number = defaultSwept): Promise<number> {
    let count = 0;
    while (count < max) {
      const wanted = Math.min(maxTaken, max - count);
      const taken = await this.#index.takeExpired(wanted, this.#leaseMs);
      const results = await Promise.allSettled(taken.map((one) => this.#deleteBytes(one)));
      const failed = results.find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
      count += taken.length;
      if (taken.length < wanted) break;
    }
    return count;
  }

  async close(): Promise<void> {
    await this.#options.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** If a quota is used up, expired artifacts are deleted first. */
  async #reserve(artifact: StoredArtifact, place: Place): Promise<string> {
    for (;;) {
      try {
        return await this.#index.reserve(artifact, JSON.stringify(place), this.#leaseMs);
      } catch (error) {
        if (!ToolError.is(error) || error.code !== "limit_exceeded") throw error;
        if ((await this.sweep(maxTaken)) === 0) throw error;
      }
    }
  }

  /** @throws ToolError `store_unavailable` for a key that this store does not have. */
  #cipher(key: string, size: number, { seal }: Place): ChunkCipher | undefined {
    if (seal === undefined) return undefined;
    const objectKey = this.#options.keys.keyFor(seal);
    if (objectKey !== undefined) return new ChunkCipher(objectKey, key, size);
    throw bucketError(
      this.#client.name,
      "has an object that was sealed with a key that this store does not have: add it to key",
      { retryable: false },
    );
  }

  /** Takes back a write that has failed. If the bucket does not answer, a sweep deletes the bytes after the lease. */
  async #discard(key: string, writer: string, error: unknown): Promise<void> {
    const taken = await this.#index.take(key, this.#leaseMs, writer);
    if (taken !== undefined && !isUnanswered(error)) await this.#deleteBytes(taken);
  }

  async #deleteBytes(taken: RemovableArtifact): Promise<void> {
    const place = readPlace(taken.place);
    if (place !== undefined) {
      if (place.parts === true) await this.#bucket.abortUploads(place.object);
      await this.#bucket.delete(place.object);
    }
    await this.#index.remove(taken, this.#leaseMs);
  }

  #sweepSometimes(): void {
    if (performance.now() < this.#sweepAt) return;
    this.#sweepAt = performance.now() + sweepMs;
    // If it fails, a later one deletes the rest.
    this.sweep().catch(() => {});
  }
}
