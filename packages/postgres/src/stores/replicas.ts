import { randomUUID } from "node:crypto";
import { Leases, type LeaseOptions } from "@toolweave/stores/shared";
import type { Database } from "../database/database.ts";
import { toName } from "../database/name.ts";

/** A process that has joined. */
export interface Replica {
  /** As it was passed to `join`. */
  readonly id: string;
  /** Milliseconds since the epoch, by the database's clock. Grows while the process is alive. */
  readonly leaseUntil: number;
  /** Its lease has not expired. */
  readonly isAlive: boolean;
}

/**
 * The processes that share a store. A process that was paused for longer than its lease can be alive although it does
 * not look so: treat it as ended only if its lease has expired in two looks, at least `leaseMs` apart.
 */
export interface PostgresReplicas {
  /**
   * Announces this process, and renews its lease until `leave`, or until the store is closed. A process that joined with
   * the same id before is replaced: its lease is not renewed any more.
   *
   * @throws ToolError `store_unavailable`
   */
  join(id: string): Promise<void>;
  /**
   * Removes this process, at once. Nothing happens if another process has joined with the id since.
   *
   * @throws ToolError `store_unavailable`
   */
  leave(id: string): Promise<void>;
  /**
   * The ids of the processes whose lease has not expired, sorted.
   *
   * @throws ToolError `store_unavailable`
   */
  alive(): Promise<readonly string[]>;
  /**
   * All processes, also those whose lease has expired within 7 days, sorted by id.
   *
   * @throws ToolError `store_unavailable`
   */
  list(): Promise<readonly Replica[]>;
}

/** Replicas in a table, one row each. */
export class ReplicaTable implements PostgresReplicas {
  readonly #db: Database;
  readonly #leaseMs: number;
  readonly #token = randomUUID();
  readonly #leases: Leases;

  constructor(db: Database, options: LeaseOptions) {
    this.#db = db;
    this.#leaseMs = options.leaseMs;
    // A row that was removed, while this process was paused for long, is added again.
    this.#leases = new Leases(options, (ids) => this.#write([...ids], "WHERE r.token = $3"));
  }

  async join(id: string): Promise<void> {
    await this.#write([id], "");
    this.#leases.hold(id);
  }

  async leave(id: string): Promise<void> {
    this.#leases.drop(id);
    await this.#db.run(`DELETE FROM ${this.#db.schema}.replicas WHERE name = $1 AND token = $2`, [
      toName(id),
      this.#token,
    ]);
  }

  async alive(): Promise<readonly string[]> {
    return (await this.list()).filter(({ isAlive }) => isAlive).map(({ id }) => id);
  }

  async list(): Promise<readonly Replica[]> {
    const { schema } = this.#db;
    const rows = await this.#db.run(
      `SELECT id, lease_until, lease_until > ${schema}.now_ms() AS is_alive FROM ${schema}.replicas
       ORDER BY name COLLATE "C"`,
    );
    return rows.map((row) => ({
      id: JSON.parse(row["id"] as string) as string,
      leaseUntil: Number(row["lease_until"]),
      isAlive: row["is_alive"] === true,
    }));
  }

  /** No lease is renewed any more. */
  stop(): void {
    this.#leases.stop();
  }

  async #write(ids: readonly string[], condition: string): Promise<void> {
    const { schema } = this.#db;
    await this.#db.run(
      `INSERT INTO ${schema}.replicas AS r (name, id, token, lease_until)
       SELECT name, id, $3, ${schema}.now_ms() + $4 FROM unnest($1::text[], $2::text[]) AS joined (name, id)
       ON CONFLICT (name) DO UPDATE SET token = excluded.token, lease_until = excluded.lease_until ${condition}`,
      [ids.map(toName), ids.map((id) => JSON.stringify(id)), this.#token, this.#leaseMs],
    );
  }
}
