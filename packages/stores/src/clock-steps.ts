import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Clock } from "@toolweave/core";

/** A time that cannot be set, in milliseconds. */
export type SteadyClock = Pick<Clock, "now">;

/**
 * The machine's time since its start: the same for all of its processes, which are all that can share an SQLite file.
 */
export const systemSteadyClock: SteadyClock = {
  now: () => Number(process.hrtime.bigint() / 1_000_000n),
};

/** The time of day may differ by this much without having been set. */
const toleranceMs = 1_000;

/** How often the two times are written down while they agree. */
const recordMs = 1_000;

/**
 * Keeps leases at their length when the time of day is set. Without it a lease would never expire when the clock is set
 * back, and a live process would count as ended when it is set forward.
 *
 * The file has the time of day and the steady time of one moment. If they have advanced by different amounts, the clock
 * was set (or the machine slept, with all its processes): the ends of all leases move by the difference. A steady time
 * below the one in the file means that the machine was restarted; the remaining time of a lease then begins now, and no
 * process renews it. Uses of a rate move with a clock that is set back alone: sleep counts for them.
 */
export class ClockSteps {
  readonly #steady: SteadyClock | undefined;
  readonly #select: StatementSync;
  readonly #record: StatementSync;
  readonly #moves: readonly StatementSync[];
  readonly #moveUses: StatementSync;

  /** @param steady undefined: nothing is moved. */
  constructor(db: DatabaseSync, steady: SteadyClock | undefined) {
    this.#steady = steady;
    this.#select = db.prepare("SELECT wall, steady FROM clock");
    this.#record = db.prepare("INSERT OR REPLACE INTO clock VALUES (1, ?, ?)");
    this.#moves = [
      "UPDATE pending_calls SET lease_until = lease_until + ? WHERE status = 'claimed'",
      "UPDATE tasks SET lease_until = lease_until + ? WHERE status = 'working'",
      "UPDATE schedule_runs SET lease_until = lease_until + ? WHERE lease_until > 0",
      "UPDATE ledger SET lease_until = lease_until + ? WHERE status = 'running'",
      "UPDATE credential_locks SET lease_until = lease_until + ?",
      "UPDATE artifacts SET lease_until = lease_until + ? WHERE complete = 0",
      "UPDATE artifact_objects SET due_at = due_at + ? WHERE state <> 'ready'",
      `UPDATE rate_reservations SET counts_until = counts_until + ?1, lease_until = lease_until + ?1
       WHERE lease_until > 0`,
    ].map((sql) => db.prepare(sql));
    this.#moveUses = db.prepare(
      "UPDATE rate_reservations SET counts_until = counts_until + ? WHERE lease_until = 0",
    );
  }

  /** True when the clock was set, so that a transaction has to `settle` before anything is read. */
  isDue(now: number): boolean {
    return Math.abs(this.#difference(now)?.step ?? 0) > toleranceMs;
  }

  /** Moves what a set clock has moved. Within a transaction, before everything else. */
  settle(now: number): void {
    if (this.#steady === undefined) return;
    const difference = this.#difference(now);
    if (difference === undefined) return void this.#record.run(now, this.#steady.now());
    const { step, passed } = difference;
    const isSet = Math.abs(step) > toleranceMs;
    if (isSet) {
      for (const move of this.#moves) move.run(step);
      if (step < 0) this.#moveUses.run(step);
    }
    if (isSet || passed > recordMs) this.#record.run(now, this.#steady.now());
  }

  /** The step of the clock, and the time since the times were written down; undefined: no step, or unknown. */
  #difference(now: number): { readonly step: number; readonly passed: number } | undefined {
    if (this.#steady === undefined) return undefined;
    const row = this.#select.get() as
      | { readonly wall: number; readonly steady: number }
      | undefined;
    if (row === undefined) return undefined;
    const passed = Math.max(0, this.#steady.now() - row.steady);
    return { step: now - row.wall - passed, passed };
  }
}
