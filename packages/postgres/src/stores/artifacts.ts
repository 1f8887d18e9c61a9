import { randomUUID } from "node:crypto";
import { ToolError } from "@toolweave/core";
import { quotaOwner, type ArtifactStore, type StoredArtifact } from "@toolweave/core/stores";
import {
  artifactsFull,
  describedArtifact,
  descriptionOf,
  endOfRange,
  isArtifactKey,
  ownerFull,
} from "@toolweave/stores/shared";
import { unavailable, type Database } from "../database/database.ts";
import { toName } from "../database/name.ts";

/** Bytes in a row, so that a page of a large artifact is read without the rest. */
const chunkBytes = 262_144;

/** Chunks that one statement writes or reads. */
const chunksAtOnce = 4;

interface ArtifactLimits {
  readonly leaseMs: number;
  readonly maxBytes: number;
  readonly maxBytesPerOwner: number;
}

/**
 * Artifacts in rows of 256 KiB. A large one is written by several statements, and is readable after the last of them. If
 * a crash interrupts the write, its rows are removed once the lease of the writer has expired.
 */
export class PostgresArtifacts implements ArtifactStore {
  readonly #db: Database;
  readonly #options: ArtifactLimits;

  constructor(db: Database, options: ArtifactLimits) {
    this.#db = db;
    this.#options = options;
  }

  async put(artifact: StoredArtifact, data: Uint8Array): Promise<void> {
    const { json, expiresAt } = describedArtifact(artifact, data);
    const { key, size, owner } = artifact;
    const token = randomUUID();
    const { leaseMs, maxBytes, maxBytesPerOwner } = this.#options;
    const answer = await this.#db.value(
      `SELECT ${this.#db.schema}.begin_artifact($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        key,
        toName(quotaOwner(owner)),
        json,
        size,
        size + json.length,
        expiresAt,
        leaseMs,
        token,
        maxBytes,
        maxBytesPerOwner,
      ],
    );
    if (answer === "taken") {
      throw new ToolError(
        "internal",
        `The artifact ${key} is stored already: give each a key of its own.`,
      );
    }
    if (answer === "full") throw artifactsFull(maxBytes);
    if (answer === "owner_full") throw ownerFull(maxBytesPerOwner, "maxArtifactBytesPerOwner");
    try {
      const step = chunksAtOnce * chunkBytes;
      for (let offset = 0; offset === 0 || offset < size; offset += step) {
        await this.#append(key, token, data, size, offset);
      }
    } catch (error) {
      // If that fails, too, its lease expires.
      await this.delete(key).catch(() => {});
      throw error;
    }
  }

  async head(key: string): Promise<StoredArtifact | undefined> {
    if (!isArtifactKey(key)) return undefined;
    const [row] = await this.#db.run(
      `SELECT description, size FROM ${this.#db.schema}.artifacts
       WHERE key = $1 AND complete AND expires_at > ${this.#db.schema}.now_ms()`,
      [key],
    );
    if (row === undefined) return undefined;
    const artifact = descriptionOf(key, row["description"] as string);
    if (artifact === undefined || artifact.size !== row["size"]) throw damaged(key);
    return artifact;
  }

  async read(key: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    const size = (await this.head(key))?.size;
    if (size === undefined) return undefined;
    const end = endOfRange(size, offset, length);
    const data = new Uint8Array(end - offset);
    for (let from = offset; from < end;) {
      const first = Math.floor(from / chunkBytes);
      const to = Math.min(end, (first + chunksAtOnce) * chunkBytes);
      const isThere = await this.#copy(key, { size, from, to }, data.subarray(from - offset));
      if (!isThere) return undefined;
      from = to;
    }
    return data;
  }

  async delete(key: string): Promise<void> {
    if (!isArtifactKey(key)) return;
    await this.#db.run(`SELECT ${this.#db.schema}.delete_artifact($1)`, [key]);
  }

  async #append(
    key: string,
    token: string,
    data: Uint8Array,
    size: number,
    offset: number,
  ): Promise<void> {
    const isThere = data.byteLength === size;
    const end = Math.min(data.byteLength, offset + chunksAtOnce * chunkBytes);
    const chunks: Buffer[] = [];
    for (let at = offset; at < end; at += chunkBytes) {
      chunks.push(Buffer.from(data.subarray(at, Math.min(end, at + chunkBytes))));
    }
    const isWritten =
      isThere &&
      (await this.#db.value(`SELECT ${this.#db.schema}.append_artifact($1, $2, $3, $4, $5, $6)`, [
        key,
        token,
        this.#options.leaseMs,
        offset / chunkBytes,
        chunks,
        end === size,
      ])) === true;
    if (isWritten) return;
    throw unavailable(
      "has lost an artifact that was being written, because this process was held up for too long or the bytes were taken away: write it again",
    );
  }

  /** Copies bytes into the beginning of `target`; false: the artifact was removed. */
  async #copy(
    key: string,
    { size, from, to }: { readonly size: number; readonly from: number; readonly to: number },
    target: Uint8Array,
  ): Promise<boolean> {
    const first = Math.floor(from / chunkBytes);
    const last = Math.floor((to - 1) / chunkBytes);
    const { schema } = this.#db;
    const rows = await this.#db.run(
      `SELECT chunk, bytes FROM ${schema}.artifacts
       LEFT JOIN ${schema}.artifact_chunks c ON c.key = artifacts.key AND chunk BETWEEN $2 AND $3
       WHERE artifacts.key = $1 AND complete AND expires_at > ${schema}.now_ms() ORDER BY chunk`,
      [key, first, last],
    );
    if (rows.length === 0) return false;
    let chunk = first;
    for (const row of rows) {
      const start = chunk * chunkBytes;
      const bytes = row["bytes"] as Buffer | null;
      if (row["chunk"] !== chunk || bytes?.length !== Math.min(chunkBytes, size - start)) {
        throw damaged(key);
      }
      const skipped = Math.max(0, from - start);
      target.set(bytes.subarray(skipped, to - start), start + skipped - from);
      chunk++;
    }
    if (chunk <= last) throw damaged(key);
    return true;
  }
}

/** The error of an artifact whose row contradicts itself. */
export function damaged(key: string): ToolError {
  return unavailable(`has the artifact ${key} damaged: delete it`, { retryable: false });
}
