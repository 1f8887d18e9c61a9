import { randomUUID } from "node:crypto";
import type { RateLimitStore, RateRequest, RateReservation } from "@toolweave/core/stores";
import { checkRateRequests, Leases, type LeaseOptions } from "@toolweave/stores/shared";
import { unavailable, type Database } from "../database/database.ts";
import { GroupedStatements } from "../database/grouped-statements.ts";
import { toName } from "../database/name.ts";

/** The maximum number of reservations in one transaction. */
const maxBatch = 256;

interface Waiting {
  readonly id: string;
  readonly requests: readonly RateRequest[];
  readonly resolve: (reservation: RateReservation) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sliding windows over a table of reservations, by the database's clock. Reservations of one set of keys are serial:
 * those that arrive while one is under way are made together in the next transaction, in their order.
 */
export class PostgresRateLimits implements RateLimitStore {
  readonly #db: Database;
  readonly #leases: Leases;
  readonly #reserves: GroupedStatements;
  readonly #commits: GroupedStatements;
  /** The number of keys of each open reservation of this store. */
  readonly #open = new Map<string, number>();
  /** Reservations that wait for the transaction of their keys. */
  readonly #queues = new Map<string, Waiting[]>();

  constructor(db: Database, options: LeaseOptions) {
    this.#db = db;
    this.#reserves = new GroupedStatements(db, {
      one: `SELECT refused_by, wait FROM ${db.schema}.reserve_rates($1, $2, $3, $4, $5, $6)`,
      many: `SELECT n, refused_by, wait FROM ${db.schema}.reserve_rate_sets($1, $2, $3, $4, $5, $6)`,
      constants: [options.leaseMs],
    });
    this.#commits = new GroupedStatements(db, {
      one: `SELECT ${db.schema}.commit_rate($1) AS rows`,
      many: `SELECT n, rows FROM ${db.schema}.commit_rates($1)`,
    });
    const table = `${db.schema}.rate_reservations`;
    // An expired lease stays expired: others may have taken its place.
    this.#leases = new Leases(options, (ids) =>
      db.run(
        `UPDATE ${table} SET lease_until = ${db.schema}.now_ms() + $2,
           counts_until = greatest(counts_until, ${db.schema}.now_ms() + $2)
         WHERE (id, key) IN (SELECT id, key FROM ${table} WHERE id = ANY ($1::uuid[])
           AND lease_until > 0 AND counts_until > ${db.schema}.now_ms() FOR UPDATE SKIP LOCKED)`,
        [[...ids], options.leaseMs],
      ),
    );
  }

  async reserve(requests: readonly RateRequest[]): Promise<RateReservation> {
    checkRateRequests(requests);
    const id = randomUUID();
    if (requests.length === 0) return { granted: true, id };
    const sorted = requests.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const reservation = await new Promise<RateReservation>((resolve, reject) => {
      this.#enqueue({ id, requests: sorted, resolve, reject });
    });
    if (reservation.granted) {
      this.#open.set(id, requests.length);
      this.#leases.hold(id);
    }
    return reservation;
  }

  async commit(id: string): Promise<void> {
    const keys = this.#close(id);
    if (keys === undefined) return;
    const [row] = await this.#commits.run(id, [id]);
    if (Number(row?.["rows"]) === keys) return;
    throw unavailable(
      "has lost a rate's reservation, because this process was held up for too long: call again",
    );
  }

  async release(id: string): Promise<void> {
    if (this.#close(id) === undefined) return;
    await this.#db.run(`DELETE FROM ${this.#db.schema}.rate_reservations WHERE id = $1`, [id]);
  }

  /** No lease is renewed any more. */
  stop(): void {
    this.#leases.stop();
  }

  /** Also if the rest cannot be written: the reservation then expires. */
  #close(id: string): number | undefined {
    const keys = this.#open.get(id);
    this.#open.delete(id);
    this.#leases.drop(id);
    return keys;
  }

  #enqueue(waiting: Waiting): void {
    const lane = JSON.stringify(waiting.requests.map(({ key, windowMs }) => [key, windowMs]));
    const queue = this.#queues.get(lane);
    if (queue !== undefined) return void queue.push(waiting);
    this.#queues.set(lane, [waiting]);
    void this.#drain(lane);
  }

  async #drain(lane: string): Promise<void> {
    const queue = this.#queues.get(lane) as Waiting[];
    while (queue.length > 0) {
      const batch = queue.splice(0, maxBatch);
      try {
        await this.#reserveAll(lane, batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#queues.delete(lane);
  }

  async #reserveAll(lane: string, batch: readonly Waiting[]): Promise<void> {
    const keys = (batch[0] as Waiting).requests;
    const all = batch.flatMap(({ requests }) => requests);
    const rows = await this.#reserves.run(
      lane,
      [
        keys.map(({ key }) => JSON.stringify(toName(key))),
        keys.map(({ windowMs }) => windowMs),
        batch.map(({ id }) => id),
        all.map(({ amount }) => amount),
        all.map(({ limit }) => limit),
      ].map((elements) => `{${elements.join(",")}}`),
    );
    for (const [index, { id, requests, resolve }] of batch.entries()) {
      const refusedBy = rows[index]?.["refused_by"] as number | null;
      if (refusedBy === null) resolve({ granted: true, id });
      else {
        const { key } = requests[refusedBy - 1] as RateRequest;
        resolve({ granted: false, key, retryAfterMs: Number(rows[index]?.["wait"]) });
      }
    }
  }
}
