import { randomUUID } from "node:crypto";
import type { RateLimitStore, RateRequest, RateReservation } from "@toolweave/core/stores";
import { checkRateRequests } from "./rate-requests.ts";
import { Leases, type LeaseOptions } from "./leases.ts";
import { renewInFile, type SqliteFile } from "./sqlite-file.ts";
import { unavailable } from "./store-error.ts";

/** The maximum number of rows that one reservation removes; more than it adds, so that the table does not grow. */
const maxSwept = 100;

type Refusal = Extract<RateReservation, { readonly granted: false }>;

/**
 * Sliding windows over a table of reservations. A committed use counts for `windowMs` from its commit. An uncommitted
 * reservation counts as long as its process is alive; when the process has ended, it counts as if it had been committed
 * when it was reserved.
 */
export class SqliteRateLimits implements RateLimitStore {
  readonly #file: SqliteFile;
  readonly #leases: Leases;
  /** The number of rows of each open reservation of this store. */
  readonly #rows = new Map<string, number>();
  readonly #used;
  readonly #oldest;
  readonly #insert;
  readonly #commit;
  readonly #delete;
  readonly #sweep;

  constructor(file: SqliteFile, options: LeaseOptions) {
    this.#file = file;
    const counting = "FROM rate_reservations WHERE key = ? AND counts_until > ?";
    this.#used = file.prepare(`SELECT total(amount) AS used ${counting}`);
    this.#oldest = file.prepare(
      `SELECT counts_until, amount ${counting} AND lease_until <= ? ORDER BY counts_until`,
    );
    this.#insert = file.prepare(
      `INSERT INTO rate_reservations (id, key, window_ms, amount, counts_until, lease_until)
       VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#commit = file.prepare(
      `UPDATE rate_reservations SET counts_until = ? + window_ms, lease_until = 0
       WHERE id = ? AND counts_until > ?`,
    );
    this.#delete = file.prepare("DELETE FROM rate_reservations WHERE id = ?");
    this.#sweep = file.prepare(
      `DELETE FROM rate_reservations WHERE (id, key) IN (SELECT id, key FROM rate_reservations
       WHERE counts_until <= ? ORDER BY counts_until LIMIT ${maxSwept})`,
    );
    // An expired lease stays expired: others may have taken its place.
    const renew = file.prepare(
      `UPDATE rate_reservations SET counts_until = max(counts_until, ?), lease_until = ?
       WHERE id = ? AND counts_until > ?`,
    );
    this.#leases = new Leases(
      options,
      renewInFile(file, options.leaseMs, (id, until, now) => {
        renew.run(until, until, id, now);
      }),
    );
  }

  async reserve(requests: readonly RateRequest[]): Promise<RateReservation> {
    checkRateRequests(requests);
    const id = randomUUID();
    const refusal = await this.#file.write(() => this.#take(id, requests));
    if (refusal !== undefined) return refusal;
    this.#rows.set(id, requests.length);
    this.#leases.hold(id);
    return { granted: true, id };
  }

  async commit(id: string): Promise<void> {
    const rows = this.#close(id);
    if (rows === undefined) return;
    await this.#file.write(() => {
      const now = this.#file.now();
      if (Number(this.#commit.run(now, id, now).changes) === rows) return;
      throw unavailable(
        this.#file.path,
        "has lost a rate's reservation, because this process was held up for too long: call again",
      );
    });
  }

  async release(id: string): Promise<void> {
    if (this.#close(id) === undefined) return;
    await this.#file.write(() => this.#delete.run(id));
  }

  /** No lease is renewed any more. */
  stop(): void {
    this.#leases.stop();
  }

  /** Also if the rest cannot be written: it then expires. */
  #close(id: string): number | undefined {
    const rows = this.#rows.get(id);
    this.#rows.delete(id);
    this.#leases.drop(id);
    return rows;
  }

  #take(id: string, requests: readonly RateRequest[]): Refusal | undefined {
    const now = this.#file.now();
    let refusal: Refusal | undefined;
    for (const request of requests) {
      const retryAfterMs = this.#wait(request, now);
      if (retryAfterMs > (refusal?.retryAfterMs ?? 0)) {
        refusal = { granted: false, key: request.key, retryAfterMs };
      }
    }
    if (refusal !== undefined) return refusal;
    this.#sweep.run(now);
    const leaseUntil = this.#leases.end(now);
    for (const { key, windowMs, amount } of requests) {
      const countsUntil = Math.max(now + windowMs, leaseUntil);
      this.#insert.run(id, key, windowMs, amount, countsUntil, leaseUntil);
    }
    return undefined;
  }

  /** Milliseconds until there is room; 0: there is. */
  #wait({ key, amount, limit, windowMs }: RateRequest, now: number): number {
    if (!within(limit, 0, amount)) return Infinity;
    let used = this.#used.get(key, now)?.["used"] as number;
    if (within(limit, used, amount)) return 0;
    for (const row of this.#oldest.iterate(key, now, now)) {
      used -= row["amount"] as number;
      if (within(limit, used, amount)) return (row["counts_until"] as number) - now;
    }
    // The rest is reserved: were it used now, it would be free then.
    return windowMs;
  }
}

/** Three times 0.1 is within 0.3, despite binary fractions. */
function within(limit: number, used: number, amount: number): boolean {
  return used + amount <= limit * (1 + 1e-12);
}
