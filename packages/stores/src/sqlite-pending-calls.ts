import type { Interruption } from "@toolweave/core";
import type {
  ClaimResult,
  FinishedResult,
  PendingCallRecord,
  PendingCallStore,
} from "@toolweave/core/stores";
import { ToolError } from "@toolweave/core";
import { quotaOwner } from "@toolweave/core/stores";
import { Leases, type LeaseOptions } from "./leases.ts";
import { renewInFile, type SqliteFile } from "./sqlite-file.ts";
import { ownerLimitError, type OwnerLimit } from "./store-limits.ts";

/** The maximum number of rows that one `add` removes, so that none takes long. */
const maxSwept = 100;
/** Results at any time; beyond, the oldest are dropped. One is at most about 350,000 characters. */
const maxResults = 256;
/** A result is read only when it is asked for: it is the largest part of a row. */
const columns = "id, interruption, expires_at, status, lease_until";

interface Row {
  readonly id: string;
  readonly interruption: string;
  readonly expires_at: number;
  readonly status: "pending" | "claimed" | "finished";
  readonly lease_until: number;
}

/**
 * Pending calls in a table. A claim is one update under the write lock and is never undone, so that no clock, crash or
 * expired lease can make a call run twice; its lease only shows others whether the claimant is alive.
 */
export class SqlitePendingCalls implements PendingCallStore {
  readonly #file: SqliteFile;
  /** On what this store has claimed and not finished. */
  readonly #leases: Leases;
  readonly #select;
  readonly #selectOpen;
  readonly #insert;
  readonly #sweep;
  readonly #claim;
  readonly #finish;
  readonly #setResult;
  readonly #dropResults;
  readonly #dropOldestResults;
  readonly #selectResult;
  readonly #countWaiting;
  readonly #maxPerOwner: number;

  constructor(file: SqliteFile, options: LeaseOptions & OwnerLimit) {
    this.#file = file;
    this.#maxPerOwner = options.maxPerOwner;
    this.#countWaiting = file.prepare(
      `SELECT count(*) AS count FROM pending_calls
       WHERE quota_owner = ? AND status = 'pending' AND expires_at > ?`,
    );
    this.#select = file.prepare(`SELECT ${columns} FROM pending_calls WHERE id = ?`);
    this.#selectOpen = file.prepare(
      `SELECT ${columns} FROM pending_calls
       WHERE status = 'claimed' OR (status = 'pending' AND expires_at > ?) ORDER BY seq`,
    );
    this.#insert = file.prepare(
      "INSERT INTO pending_calls (id, interruption, expires_at, quota_owner) VALUES (?, ?, ?, ?)",
    );
    this.#sweep = file.prepare(
      `DELETE FROM pending_calls WHERE seq IN (SELECT seq FROM pending_calls
       WHERE status <> 'claimed' AND expires_at <= ? ORDER BY expires_at LIMIT ${maxSwept})`,
    );
    this.#claim = file.prepare(
      "UPDATE pending_calls SET status = 'claimed', lease_until = ? WHERE id = ? AND status = 'pending'",
    );
    const renew = file.prepare(
      "UPDATE pending_calls SET lease_until = ? WHERE id = ? AND status = 'claimed'",
    );
    this.#leases = new Leases(
      options,
      renewInFile(file, options.leaseMs, (id, until) => void renew.run(until, id)),
    );
    this.#finish = file.prepare("UPDATE pending_calls SET status = 'finished' WHERE id = ?");
    this.#setResult = file.prepare(
      "UPDATE pending_calls SET result = ?, result_until = ? WHERE id = ? AND status = 'finished'",
    );
    this.#dropResults = file.prepare(
      "UPDATE pending_calls SET result = NULL WHERE result IS NOT NULL AND result_until <= ?",
    );
    this.#dropOldestResults = file.prepare(
      `UPDATE pending_calls SET result = NULL WHERE seq IN (SELECT seq FROM pending_calls
       WHERE result IS NOT NULL ORDER BY result_until DESC LIMIT -1 OFFSET ${maxResults})`,
    );
    this.#selectResult = file.prepare(
      "SELECT result FROM pending_calls WHERE id = ? AND result_until > ?",
    );
  }

  async add(interruption: Interruption, owner = "[null,null]"): Promise<void> {
    const { id, state, expiresAt } = interruption;
    const json = JSON.stringify(interruption);
    const counted = quotaOwner(owner);
    await this.#file.write(() => {
      const now = this.#file.now();
      this.#sweep.run(now);
      this.#dropResults.run(now);
      const row = this.#row(id);
      if (row === undefined) {
        this.#assertRoom(counted, now);
        this.#insert.run(id, json, expiresAt, counted);
      } else if (parseInterruption(row).state !== state) {
        throw new ToolError(
          "internal",
          `The interruption "${id}" is kept already, with another state: give each an id of its own.`,
        );
      }
    });
  }

  async claim(interruption: Interruption): Promise<ClaimResult> {
    const result = await this.#file.write(() => this.#take(interruption));
    if (result === "claimed") this.#leases.hold(interruption.id);
    return result;
  }

  async finish(id: string, result?: FinishedResult): Promise<void> {
    // Also if the write fails: the lease then expires, and the call is reported as unfinished.
    this.#leases.drop(id);
    await this.#file.write(() => {
      this.#finish.run(id);
      if (result === undefined) return;
      const now = this.#file.now();
      this.#dropResults.run(now);
      this.#setResult.run(result.sealed, now + result.maxAgeMs, id);
      this.#dropOldestResults.run();
    });
  }

  finishedResult(id: string): Promise<string | undefined> {
    return this.#file.read(() => {
      const result = this.#selectResult.get(id, this.#file.now())?.["result"];
      return typeof result === "string" ? result : undefined;
    });
  }

  get(id: string): Promise<PendingCallRecord | undefined> {
    return this.#file.read(() => {
      const row = this.#row(id);
      return row === undefined || isReplaced(row) ? undefined : this.#record(row, this.#file.now());
    });
  }

  list(): Promise<readonly PendingCallRecord[]> {
    return this.#file.read(() => {
      const now = this.#file.now();
      const rows = this.#selectOpen.all(now) as unknown as Row[];
      return rows.filter((row) => !isReplaced(row)).map((row) => this.#record(row, now));
    });
  }

  now(): Promise<number> {
    return this.#file.read(() => this.#file.now());
  }

  /** No lease is renewed any more. */
  stop(): void {
    this.#leases.stop();
  }

  #assertRoom(counted: string, now: number): void {
    const waiting = this.#countWaiting.get(counted, now)?.["count"] as number;
    if (waiting < this.#maxPerOwner) return;
    throw ownerLimitError("pendingCalls", this.#maxPerOwner);
  }

  #row(id: string): Row | undefined {
    return this.#select.get(id) as unknown as Row | undefined;
  }

  #take({ id, state, expiresAt }: Interruption): ClaimResult {
    const now = this.#file.now();
    const row = this.#row(id);
    // Rows go once they have expired, and no earlier.
    if (row === undefined) return expiresAt <= now ? "expired" : "unknown";
    if (parseInterruption(row).state !== state) return "unknown";
    if (row.status === "finished") return "finished";
    if (row.status === "claimed") return this.#isHeld(row, now) ? "running" : "unfinished";
    if (row.expires_at <= now) return "expired";
    this.#claim.run(this.#leases.end(now), id);
    return "claimed";
  }

  #isHeld(row: Row, now: number): boolean {
    // Its own may be late with a lease, when the process was busy.
    return row.lease_until > now || this.#leases.has(row.id);
  }

  #record(row: Row, now: number): PendingCallRecord {
    const unfinished = row.status === "claimed" && !this.#isHeld(row, now);
    return { interruption: parseInterruption(row), status: unfinished ? "unfinished" : row.status };
  }
}

/**
 * The row was overwritten with another interruption. It may be a genuine one, and an answer by the id would approve
 * that one.
 */
function isReplaced(row: Row): boolean {
  return parseInterruption(row).id !== row.id;
}

function parseInterruption(row: Row): Interruption {
  return JSON.parse(row.interruption) as Interruption;
}
