import { setImmediate as turn } from "node:timers/promises";
import type { ArtifactStore, StoredArtifact } from "@toolweave/core/stores";
import type { ToolError } from "@toolweave/core";
import { quotaOwner } from "@toolweave/core/stores";
import { chunkBytes, chunksAtOnce, readChunks, type ChunkRow } from "./artifact-chunks.ts";
import {
  artifactsFull,
  artifactTaken,
  describedArtifact,
  parseDescription,
  isArtifactKey,
  ownerFull,
  type DescribedArtifact,
} from "./described-artifact.ts";
import type { SqliteFile } from "./sqlite-file.ts";
import { unavailable } from "./store-error.ts";
import type { ArtifactQuotas } from "./store-limits.ts";

/** Expired artifacts that are looked for at a time. */
const maxSwept = 100;

/**
 * Artifacts in rows of 256 KiB. A large one is written in several transactions, so that other writers do not wait long;
 * it is readable after the last of them. If a crash interrupts the write, its rows are removed once the lease of the
 * writer has expired.
 */
export class SqliteArtifacts implements ArtifactStore {
  readonly #file: SqliteFile;
  readonly #leaseMs: number;
  readonly #quotas: ArtifactQuotas;
  readonly #isStored;
  readonly #usedBy;
  readonly #selectExpiredByOwner;
  readonly #used;
  readonly #selectExpired;
  readonly #insert;
  readonly #hold;
  readonly #insertChunk;
  readonly #complete;
  readonly #select;
  readonly #range;
  readonly #deleteRow;
  readonly #delete;

  constructor(file: SqliteFile, leaseMs: number, quotas: ArtifactQuotas) {
    this.#file = file;
    this.#leaseMs = leaseMs;
    this.#quotas = quotas;
    this.#usedBy = file.prepare("SELECT bytes FROM artifact_owners WHERE quota_owner = ?");
    this.#selectExpiredByOwner = file.prepare(
      `SELECT seq FROM artifacts WHERE quota_owner = ?
       AND (expires_at <= ? OR (complete = 0 AND lease_until <= ?)) LIMIT ${maxSwept}`,
    );
    const live = "key = ? AND complete = 1 AND expires_at > ?";
    this.#isStored = file.prepare("SELECT 1 FROM artifacts WHERE key = ?");
    this.#used = file.prepare("SELECT artifacts AS used FROM space");
    this.#selectExpired = file.prepare(
      `SELECT seq, size FROM artifacts
       WHERE expires_at <= ? OR (complete = 0 AND lease_until <= ?) LIMIT ${maxSwept}`,
    );
    this.#insert = file.prepare(
      `INSERT INTO artifacts (key, artifact, size, expires_at, complete, lease_until, quota_owner)
       VALUES (?, ?, ?, ?, 0, 0, ?)`,
    );
    this.#hold = file.prepare(
      "UPDATE artifacts SET lease_until = ? WHERE key = ? AND complete = 0 RETURNING seq",
    );
    this.#insertChunk = file.prepare(
      "INSERT INTO artifact_chunks (artifact, chunk, bytes) VALUES (?, ?, ?)",
    );
    this.#complete = file.prepare("UPDATE artifacts SET complete = 1 WHERE seq = ?");
    this.#select = file.prepare(`SELECT artifact, size FROM artifacts WHERE ${live}`);
    // One statement sees one state: no other process can remove the chunks meanwhile.
    this.#range = file.prepare(
      `SELECT chunk, bytes FROM artifacts
       LEFT JOIN artifact_chunks ON artifact_chunks.artifact = seq AND chunk BETWEEN ? AND ?
       WHERE ${live} ORDER BY chunk`,
    );
    this.#deleteRow = file.prepare("DELETE FROM artifacts WHERE seq = ?");
    this.#delete = file.prepare("DELETE FROM artifacts WHERE key = ?");
  }

  async put(artifact: StoredArtifact, data: Uint8Array): Promise<void> {
    const described = describedArtifact(artifact, data);
    const { key } = artifact;
    await this.#file.write(() => {
      this.#begin(key, described, data.byteLength, quotaOwner(artifact.owner));
      this.#append(key, data, artifact.size, 0);
    });
    try {
      const step = chunksAtOnce * chunkBytes;
      for (let offset = step; offset < artifact.size; offset += step) {
        await turn();
        await this.#file.write(() => this.#append(key, data, artifact.size, offset));
      }
    } catch (error) {
      // If that fails, too, its lease expires.
      await this.delete(key).catch(() => {});
      throw error;
    }
  }

  async head(key: string): Promise<StoredArtifact | undefined> {
    if (!isArtifactKey(key)) return undefined;
    return this.#file.read(() => {
      const row = this.#select.get(key, this.#file.now());
      if (row === undefined) return undefined;
      return readDescription(this.#file, key, row);
    });
  }

  async read(key: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    const size = (await this.head(key))?.size;
    if (size === undefined) return undefined;
    const rows = (first: number, last: number) =>
      this.#file.read(
        () => this.#range.all(first, last, key, this.#file.now()) as unknown as ChunkRow[],
      );
    const source = { size, rows, damaged: () => damaged(this.#file, key) };
    return readChunks(source, offset, length);
  }

  async delete(key: string): Promise<void> {
    if (!isArtifactKey(key)) return;
    await this.#file.write(() => this.#delete.run(key));
  }

  #begin(key: string, { json, expiresAt }: DescribedArtifact, size: number, counted: string): void {
    if (this.#isStored.get(key) !== undefined) {
      throw artifactTaken(key);
    }
    const now = this.#file.now();
    this.#makeRoom(size + json.length, now);
    this.#makeRoomFor(counted, size + json.length, now);
    this.#insert.run(key, json, size, expiresAt, counted);
  }

  /** Removes what has expired of one owner, if that would have more than its quota. */
  #makeRoomFor(counted: string, bytes: number, now: number): void {
    const { maxBytesPerOwner } = this.#quotas;
    const isFull = (): boolean =>
      ((this.#usedBy.get(counted)?.["bytes"] ?? 0) as number) + bytes > maxBytesPerOwner;
    while (isFull()) {
      const expired = this.#selectExpiredByOwner.all(counted, now, now);
      if (expired.length === 0) throw ownerFull(maxBytesPerOwner, "maxArtifactBytesPerOwner");
      for (const { seq } of expired) this.#deleteRow.run(seq as number);
    }
  }

  /** Removes what has expired: as much again as is taken, and all that has to go for it. */
  #makeRoom(bytes: number, now: number): void {
    let toFree = 2 * bytes;
    const { maxBytes } = this.#quotas;
    const isFull = (): boolean => (this.#used.get()?.["used"] as number) + bytes > maxBytes;
    for (;;) {
      const expired = this.#selectExpired.all(now, now) as {
        readonly seq: number;
        readonly size: number;
      }[];
      for (const { seq, size } of expired) {
        if (toFree <= 0 && !isFull()) return;
        this.#deleteRow.run(seq);
        toFree -= size + 1;
      }
      if (expired.length === maxSwept) continue;
      if (isFull()) throw artifactsFull(maxBytes);
      return;
    }
  }

  #append(key: string, data: Uint8Array, size: number, offset: number): void {
    const row = this.#hold.get(this.#file.now() + this.#leaseMs, key);
    if (row === undefined || data.byteLength !== size) {
      throw unavailable(
        this.#file.path,
        "has lost an artifact that was being written, because this process was held up for too long or the bytes were taken away: write it again",
      );
    }
    const seq = row["seq"] as number;
    const end = Math.min(size, offset + chunksAtOnce * chunkBytes);
    for (let at = offset; at < end; at += chunkBytes) {
      this.#insertChunk.run(
        seq,
        at / chunkBytes,
        data.subarray(at, Math.min(end, at + chunkBytes)),
      );
    }
    if (end === size) this.#complete.run(seq);
  }
}

/** @throws ToolError `store_unavailable` if the row of an artifact contradicts itself. */
export function readDescription(
  file: SqliteFile,
  key: string,
  row: Readonly<Record<string, unknown>>,
): StoredArtifact {
  const artifact = parseDescription(key, row["artifact"] as string);
  if (artifact === undefined || artifact.size !== row["size"]) throw damaged(file, key);
  return artifact;
}

function damaged({ path }: SqliteFile, key: string): ToolError {
  return unavailable(path, `has the artifact ${key} damaged: delete it`, { retryable: false });
}
