import { randomUUID } from "node:crypto";
import {
  quotaOwner,
  type ArtifactIndex,
  type IndexedArtifact,
  type RemovableArtifact,
  type StoredArtifact,
} from "@toolweave/core/stores";
import { describedArtifact, isArtifactKey, type ArtifactQuotas } from "@toolweave/stores/shared";
import type { Database } from "../database/database.ts";
import { toName } from "../database/name.ts";
import { assertAccepted, readDescription } from "./artifacts.ts";

/** Rows of artifacts whose bytes are elsewhere. They share the quotas of the artifacts in the database. */
export class PostgresArtifactIndex implements ArtifactIndex {
  readonly #db: Database;
  readonly #quotas: ArtifactQuotas;

  constructor(db: Database, quotas: ArtifactQuotas) {
    this.#db = db;
    this.#quotas = quotas;
  }

  async reserve(artifact: StoredArtifact, place: string, leaseMs: number): Promise<string> {
    const { key, size } = artifact;
    const { json, expiresAt } = describedArtifact(artifact, { byteLength: size });
    const owner = toName(quotaOwner(artifact.owner));
    const token = randomUUID();
    const row = [key, owner, json, size, size + json.length, expiresAt, place, leaseMs, token];
    const answer = await this.#db.value(
      `SELECT ${this.#db.schema}.reserve_object($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [...row, this.#quotas.maxBytes, this.#quotas.maxBytesPerOwner],
    );
    assertAccepted(key, answer, this.#quotas);
    return token;
  }

  async renew(key: string, token: string, leaseMs: number): Promise<boolean> {
    const { schema } = this.#db;
    const rows = await this.#db.run(
      `UPDATE ${schema}.artifact_objects SET due_at = ${schema}.now_ms() + $3
       WHERE key = $1 AND token = $2 AND state = 'writing' RETURNING key`,
      [key, token, leaseMs],
    );
    return rows.length === 1;
  }

  async complete(key: string, token: string, place: string): Promise<boolean> {
    const answer = await this.#db.value(`SELECT ${this.#db.schema}.complete_object($1, $2, $3)`, [
      key,
      token,
      place,
    ]);
    return answer === true;
  }

  async get(key: string): Promise<IndexedArtifact | undefined> {
    if (!isArtifactKey(key)) return undefined;
    const { schema } = this.#db;
    const [row] = await this.#db.run(
      `SELECT description, size, place FROM ${schema}.artifact_objects
       WHERE key = $1 AND state = 'ready' AND due_at > ${schema}.now_ms()`,
      [key],
    );
    if (row === undefined) return undefined;
    return { artifact: readDescription(key, row), place: row["place"] as string };
  }

  async take(
    key: string,
    leaseMs: number,
    writer?: string,
  ): Promise<RemovableArtifact | undefined> {
    if (!isArtifactKey(key)) return undefined;
    const [taken] = await this.#take(key, writer ?? null, 1, leaseMs);
    return taken;
  }

  takeExpired(max: number, leaseMs: number): Promise<readonly RemovableArtifact[]> {
    return this.#take(null, null, max, leaseMs);
  }

  async remove({ key, token }: RemovableArtifact, leaseMs: number): Promise<void> {
    await this.#db.run(`SELECT ${this.#db.schema}.remove_object($1, $2, $3)`, [
      key,
      token,
      leaseMs,
    ]);
  }

  async #take(
    key: string | null,
    writer: string | null,
    max: number,
    leaseMs: number,
  ): Promise<readonly RemovableArtifact[]> {
    const token = randomUUID();
    const rows = await this.#db.run(
      `SELECT taken_key, taken_place FROM ${this.#db.schema}.take_objects($1, $2, $3, $4, $5)`,
      [key, writer, max, leaseMs, token],
    );
    return rows.map((row) => ({
      key: row["taken_key"] as string,
      place: row["taken_place"] as string,
      token,
    }));
  }
}
