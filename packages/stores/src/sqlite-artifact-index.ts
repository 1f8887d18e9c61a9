import { randomUUID } from "node:crypto";
import {
  quotaOwner,
  type ArtifactIndex,
  type IndexedArtifact,
  type RemovableArtifact,
  type StoredArtifact,
} from "@toolweave/core/stores";
import {
  artifactsFull,
  artifactTaken,
  describedArtifact,
  isArtifactKey,
  ownerFull,
} from "./described-artifact.ts";
import { readDescription } from "./sqlite-artifacts.ts";
import type { SqliteFile } from "./sqlite-file.ts";
import type { ArtifactQuotas } from "./store-limits.ts";

/** Rows of artifacts whose bytes are elsewhere. They share the quotas of the artifacts in the file. */
export class SqliteArtifactIndex implements ArtifactIndex {
  readonly #file: SqliteFile;
  readonly #quotas: ArtifactQuotas;
  readonly #isStored;
  readonly #used;
  readonly #usedBy;
  readonly #insert;
  readonly #renew;
  readonly #complete;
  readonly #select;
  readonly #take;
  readonly #expired;
  readonly #removable;
  readonly #release;
  readonly #takeAgain;
  readonly #delete;

  constructor(file: SqliteFile, quotas: ArtifactQuotas) {
    this.#file = file;
    this.#quotas = quotas;
    this.#isStored = file.prepare("SELECT 1 FROM artifact_objects WHERE key = ?");
    this.#used = file.prepare("SELECT artifacts AS used FROM space");
    this.#usedBy = file.prepare("SELECT bytes FROM artifact_owners WHERE quota_owner = ?");
    this.#insert = file.prepare(
      `INSERT INTO artifact_objects
       (key, quota_owner, artifact, size, counted, expires_at, place, state, due_at, token)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'writing', ?, ?)`,
    );
    const written = "WHERE key = ? AND token = ? AND state = 'writing'";
    this.#renew = file.prepare(`UPDATE artifact_objects SET due_at = ? ${written}`);
    this.#complete = file.prepare(
      `UPDATE artifact_objects SET state = 'ready', place = ?, due_at = expires_at ${written}`,
    );
    this.#select = file.prepare(
      `SELECT artifact, size, place FROM artifact_objects
       WHERE key = ? AND state = 'ready' AND due_at > ?`,
    );
    const take = `UPDATE artifact_objects SET state = 'deleting', token = ?, due_at = ?,
       interrupted = interrupted OR state = 'writing'`;
    this.#take = file.prepare(
      `${take} WHERE key = ? AND (state <> 'deleting' OR due_at <= ?) AND coalesce(?, token) = token
       RETURNING key, place, token`,
    );
    this.#expired = file.prepare(
      "SELECT key FROM artifact_objects WHERE due_at <= ? ORDER BY due_at LIMIT ?",
    );
    this.#removable = file.prepare(
      "SELECT interrupted FROM artifact_objects WHERE key = ? AND token = ? AND state = 'deleting'",
    );
    this.#release = file.prepare("UPDATE artifact_objects SET counted = 0 WHERE key = ?");
    this.#takeAgain = file.prepare(
      "UPDATE artifact_objects SET interrupted = 0, due_at = ?, token = '' WHERE key = ?",
    );
    this.#delete = file.prepare("DELETE FROM artifact_objects WHERE key = ?");
  }

  async reserve(artifact: StoredArtifact, place: string, leaseMs: number): Promise<string> {
    const { key, size } = artifact;
    const { json, expiresAt } = describedArtifact(artifact, { byteLength: size });
    const owner = quotaOwner(artifact.owner);
    const counted = size + json.length;
    const { maxBytes, maxBytesPerOwner } = this.#quotas;
    const token = randomUUID();
    await this.#file.write(() => {
      if (this.#isStored.get(key) !== undefined) throw artifactTaken(key);
      const used = (this.#used.get()?.["used"] as number) + counted;
      if (used > maxBytes) throw artifactsFull(maxBytes);
      const usedBy = ((this.#usedBy.get(owner)?.["bytes"] ?? 0) as number) + counted;
      if (usedBy > maxBytesPerOwner) throw ownerFull(maxBytesPerOwner, "maxArtifactBytesPerOwner");
      const leaseEnd = this.#file.now() + leaseMs;
      this.#insert.run(key, owner, json, size, counted, expiresAt, place, leaseEnd, token);
    });
    return token;
  }

  renew(key: string, token: string, leaseMs: number): Promise<boolean> {
    return this.#file.write(
      () => this.#renew.run(this.#file.now() + leaseMs, key, token).changes === 1,
    );
  }

  complete(key: string, token: string, place: string): Promise<boolean> {
    return this.#file.write(() => this.#complete.run(place, key, token).changes === 1);
  }

  async get(key: string): Promise<IndexedArtifact | undefined> {
    if (!isArtifactKey(key)) return undefined;
    return this.#file.read(() => {
      const row = this.#select.get(key, this.#file.now());
      if (row === undefined) return undefined;
      return { artifact: readDescription(this.#file, key, row), place: row["place"] as string };
    });
  }

  async take(
    key: string,
    leaseMs: number,
    writer?: string,
  ): Promise<RemovableArtifact | undefined> {
    if (!isArtifactKey(key)) return undefined;
    return this.#file.write(() => this.#takeRow(key, leaseMs, writer));
  }

  takeExpired(max: number, leaseMs: number): Promise<readonly RemovableArtifact[]> {
    return this.#file.write(() => {
      const rows = this.#expired.all(this.#file.now(), max);
      return rows.flatMap((row) => this.#takeRow(row["key"] as string, leaseMs) ?? []);
    });
  }

  async remove({ key, token }: RemovableArtifact, leaseMs: number): Promise<void> {
    await this.#file.write(() => {
      const row = this.#removable.get(key, token);
      if (row === undefined) return;
      this.#release.run(key);
      if (row["interrupted"] === 0) this.#delete.run(key);
      else this.#takeAgain.run(this.#file.now() + leaseMs, key);
    });
  }

  #takeRow(key: string, leaseMs: number, writer?: string): RemovableArtifact | undefined {
    const now = this.#file.now();
    const row = this.#take.get(randomUUID(), now + leaseMs, key, now, writer ?? null);
    return row as unknown as RemovableArtifact | undefined;
  }
}
