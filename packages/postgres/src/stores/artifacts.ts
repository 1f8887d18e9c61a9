import { randomUUID } from "node:crypto";
import type { ToolError } from "@toolweave/core";
import { quotaOwner, type ArtifactStore, type StoredArtifact } from "@toolweave/core/stores";
import {
  artifactsFull,
  artifactTaken,
  chunkBytes,
  chunksAtOnce,
  describedArtifact,
  parseDescription,
  isArtifactKey,
  ownerFull,
  readChunks,
  type ArtifactQuotas,
  type ChunkRow,
} from "@toolweave/stores/shared";
import { unavailable, type Database, type Row } from "../database/database.ts";
import { toName } from "../database/name.ts";

/**
 * Artifacts in rows of 256 KiB. A large one is written by several statements, and is readable after the last of them. If
 * a crash interrupts the write, its rows are removed once the lease of the writer has expired.
 */
export class PostgresArtifacts implements ArtifactStore {
  readonly #db: Database;
  readonly #leaseMs: number;
  readonly #quotas: ArtifactQuotas;

  constructor(db: Database, leaseMs: number, quotas: ArtifactQuotas) {
    this.#db = db;
    this.#leaseMs = leaseMs;
    this.#quotas = quotas;
  }

  async put(artifact: StoredArtifact, data: Uint8Array): Promise<void> {
    const { json, expiresAt } = describedArtifact(artifact, data);
    const { key, size, owner } = artifact;
    const token = randomUUID();
    const answer = await this.#db.value(
      `SELECT ${this.#db.schema}.begin_artifact($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        key,
        toName(quotaOwner(owner)),
        json,
        size,
        size + json.length,
        expiresAt,
        this.#leaseMs,
        token,
        this.#quotas.maxBytes,
        this.#quotas.maxBytesPerOwner,
      ],
    );
    assertAccepted(key, answer, this.#quotas);
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
    return row === undefined ? undefined : readDescription(key, row);
  }

  async read(key: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    const size = (await this.head(key))?.size;
    if (size === undefined) return undefined;
    const { schema } = this.#db;
    const rows = async (first: number, last: number) =>
      (await this.#db.run(
        `SELECT chunk, bytes FROM ${schema}.artifacts
         LEFT JOIN ${schema}.artifact_chunks c ON c.key = artifacts.key AND chunk BETWEEN $2 AND $3
         WHERE artifacts.key = $1 AND complete AND expires_at > ${schema}.now_ms() ORDER BY chunk`,
        [key, first, last],
      )) as unknown as readonly ChunkRow[];
    return readChunks({ size, rows, damaged: () => damaged(key) }, offset, length);
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
        this.#leaseMs,
        offset / chunkBytes,
        chunks,
        end === size,
      ])) === true;
    if (isWritten) return;
    throw unavailable(
      "has lost an artifact that was being written, because this process was held up for too long or the bytes were taken away: write it again",
    );
  }
}

/** @throws ToolError if `answer` is that there is no room for an artifact, or that its key is taken. */
export function assertAccepted(
  key: string,
  answer: unknown,
  { maxBytes, maxBytesPerOwner }: ArtifactQuotas,
): void {
  if (answer === "taken") throw artifactTaken(key);
  if (answer === "full") throw artifactsFull(maxBytes);
  if (answer === "owner_full") throw ownerFull(maxBytesPerOwner, "maxArtifactBytesPerOwner");
}

/** @throws ToolError `store_unavailable` if the row of an artifact contradicts itself. */
export function readDescription(key: string, row: Row): StoredArtifact {
  const artifact = parseDescription(key, row["description"] as string);
  if (artifact === undefined || artifact.size !== row["size"]) throw damaged(key);
  return artifact;
}

function damaged(key: string): ToolError {
  return unavailable(`has the artifact ${key} damaged: delete it`, { retryable: false });
}
