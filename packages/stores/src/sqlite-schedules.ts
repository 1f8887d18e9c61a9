import type { ScheduledJob, ScheduledRun, ScheduleStore, StoredJob } from "@toolweave/core/stores";
import { Leases, type LeaseOptions } from "./leases.ts";
import { renewInFile, type SqliteFile } from "./sqlite-file.ts";
import { ownerLimitError, type OwnerLimit } from "./store-limits.ts";

/** Runs that are kept of each job, the last ones. */
const maxRuns = 20;

interface Row {
  readonly id: string;
  readonly job: string;
  readonly next_at: number | null;
  readonly runs: number;
  readonly run: string | null;
  readonly lease_until: number | null;
}

const columns = `schedules.id, job, next_at, runs, run, lease_until FROM schedules
  LEFT JOIN schedule_runs ON schedule_runs.id = schedules.id
    AND slot = (SELECT max(slot) FROM schedule_runs WHERE schedule_runs.id = schedules.id)`;

/**
 * Scheduled jobs in tables. A slot is taken in the transaction that moves the job to its next one, so that no other
 * process takes it, and none takes it again when this one is killed.
 */
export class SqliteSchedules implements ScheduleStore {
  readonly #file: SqliteFile;
  readonly #maxPerOwner: number;
  /** On the runs of this process. */
  readonly #leases: Leases;
  readonly #count;
  readonly #insert;
  readonly #ofOwner;
  readonly #remove;
  readonly #removeRuns;
  readonly #due;
  readonly #advance;
  readonly #begin;
  readonly #finish;
  readonly #trim;

  constructor(file: SqliteFile, options: LeaseOptions & OwnerLimit) {
    this.#file = file;
    this.#maxPerOwner = options.maxPerOwner;
    this.#count = file.prepare(
      "SELECT count(*) AS count FROM schedules WHERE owner = ? AND next_at IS NOT NULL",
    );
    this.#insert = file.prepare(
      "INSERT INTO schedules (id, owner, job, next_at) VALUES (?, ?, ?, ?)",
    );
    this.#ofOwner = file.prepare(`SELECT ${columns} WHERE owner = ? ORDER BY seq`);
    this.#remove = file.prepare("DELETE FROM schedules WHERE owner = ? AND id = ?");
    this.#removeRuns = file.prepare("DELETE FROM schedule_runs WHERE id = ?");
    this.#due = file.prepare(
      `SELECT ${columns} WHERE next_at <= ? AND ifnull(lease_until, 0) <= ? ORDER BY next_at, seq LIMIT ?`,
    );
    this.#advance = file.prepare(
      "UPDATE schedules SET next_at = ?, runs = runs + 1 WHERE id = ? AND next_at = ?",
    );
    this.#begin = file.prepare(
      "INSERT INTO schedule_runs (id, slot, run, lease_until) VALUES (?, ?, ?, ?)",
    );
    // A run whose job was removed meanwhile is stored nowhere.
    this.#finish = file.prepare(
      "UPDATE schedule_runs SET run = ?, lease_until = 0 WHERE id = ? AND slot = ?",
    );
    this.#trim = file.prepare(
      `DELETE FROM schedule_runs WHERE id = :id AND slot <
         (SELECT slot FROM schedule_runs WHERE id = :id ORDER BY slot DESC LIMIT 1 OFFSET ${maxRuns - 1})`,
    );
    const renew = file.prepare(
      "UPDATE schedule_runs SET lease_until = ? WHERE id = ? AND slot = ?",
    );
    this.#leases = new Leases(
      options,
      renewInFile(file, options.leaseMs, (name, until) => {
        const [id, slot] = JSON.parse(name) as [string, number];
        renew.run(until, id, slot);
      }),
    );
  }

  async add(job: ScheduledJob, nextAt: number): Promise<void> {
    await this.#file.write(() => {
      const count = this.#count.get(job.owner)?.["count"] as number;
      if (count >= this.#maxPerOwner) throw ownerLimitError("schedules", this.#maxPerOwner);
      this.#insert.run(job.id, job.owner, JSON.stringify(job), nextAt);
    });
  }

  list(owner: string): Promise<readonly StoredJob[]> {
    return this.#file.read(() =>
      (this.#ofOwner.all(owner) as unknown as Row[]).map((row) => this.#toStored(row)),
    );
  }

  remove(owner: string, id: string): Promise<boolean> {
    return this.#file.write(() => {
      if (Number(this.#remove.run(owner, id).changes) === 0) return false;
      this.#removeRuns.run(id);
      return true;
    });
  }

  due(now: number, limit: number): Promise<readonly StoredJob[]> {
    return this.#file.read(() =>
      (this.#due.all(now, this.#file.now(), limit) as unknown as Row[])
        .map((row) => this.#toStored(row))
        .filter(({ lastRun }) => lastRun?.status !== "running"),
    );
  }

  async claim(id: string, slot: number, next: number | undefined): Promise<boolean> {
    const isTaken = await this.#file.write(() => {
      if (Number(this.#advance.run(next ?? null, id, slot).changes) === 0) return false;
      const now = this.#file.now();
      const run: ScheduledRun = { slot, status: "running", startedAt: now };
      this.#begin.run(id, slot, JSON.stringify(run), this.#leases.end(now));
      this.#trim.run({ id });
      return true;
    });
    if (isTaken) this.#leases.hold(leaseName(id, slot));
    return isTaken;
  }

  async finish(id: string, run: ScheduledRun): Promise<void> {
    this.#leases.drop(leaseName(id, run.slot));
    await this.#file.write(() => void this.#finish.run(JSON.stringify(run), id, run.slot));
  }

  /** No lease is renewed any more. */
  stop(): void {
    this.#leases.stop();
  }

  #toStored({ id, job, next_at: nextAt, runs, run, lease_until: leaseUntil }: Row): StoredJob {
    const lastRun = run === null ? undefined : (JSON.parse(run) as ScheduledRun);
    const isLost =
      lastRun?.status === "running" &&
      (leaseUntil ?? 0) <= this.#file.now() &&
      !this.#leases.has(leaseName(id, lastRun.slot));
    return {
      ...(JSON.parse(job) as ScheduledJob),
      ...(nextAt === null ? {} : { nextAt }),
      runs,
      ...(lastRun === undefined
        ? {}
        : { lastRun: isLost ? { ...lastRun, status: "unfinished" } : lastRun }),
    };
  }
}

function leaseName(id: string, slot: number): string {
  return JSON.stringify([id, slot]);
}
