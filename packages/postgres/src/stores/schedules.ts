import { randomUUID } from "node:crypto";
import { ToolError } from "@toolweave/core";
import type { ScheduledJob, ScheduledRun, ScheduleStore, StoredJob } from "@toolweave/core/stores";
import {
  Leases,
  ownerLimitError,
  type LeaseOptions,
  type OwnerLimit,
} from "@toolweave/stores/shared";
import type { Database, Row } from "../database/database.ts";
import { toName } from "../database/name.ts";

/** Scheduled jobs in tables. The statement that takes a slot moves the job to its next one. */
export class PostgresSchedules implements ScheduleStore {
  readonly #db: Database;
  readonly #leaseMs: number;
  readonly #maxPerOwner: number;
  /** On the runs of this process. */
  readonly #leases: Leases;

  constructor(db: Database, options: LeaseOptions & OwnerLimit) {
    this.#db = db;
    this.#leaseMs = options.leaseMs;
    this.#maxPerOwner = options.maxPerOwner;
    this.#leases = new Leases(options, (names) => {
      const held = [...names].map((name) => JSON.parse(name) as [string, number]);
      return db.run(
        `UPDATE ${db.schema}.schedule_runs SET lease_until = ${db.schema}.now_ms() + $3
         WHERE (id, slot) IN (SELECT * FROM unnest($1::text[], $2::float8[])) AND lease_until > 0`,
        [held.map(([id]) => toName(id)), held.map(([, slot]) => slot), options.leaseMs],
      );
    });
  }

  async add(job: ScheduledJob, nextAt: number): Promise<void> {
    const answer = await this.#db.value(
      `SELECT ${this.#db.schema}.add_schedule($1, $2, $3, $4, $5, $6)`,
      [
        toName(job.id),
        toName(job.owner),
        JSON.stringify(job),
        nextAt,
        this.#maxPerOwner,
        randomUUID(),
      ],
    );
    if (answer === "full") throw ownerLimitError("schedules", this.#maxPerOwner);
    if (answer === "taken") {
      throw new ToolError("internal", `The job "${job.id}" is stored already.`);
    }
  }

  async list(owner: string): Promise<readonly StoredJob[]> {
    return this.#select("owner = $1 ORDER BY seq", [toName(owner)]);
  }

  async remove(owner: string, id: string): Promise<boolean> {
    const values = [toName(owner), toName(id), randomUUID()];
    return (
      (await this.#db.value(`SELECT ${this.#db.schema}.remove_schedule($1, $2, $3)`, values)) ===
      true
    );
  }

  async due(now: number, limit: number): Promise<readonly StoredJob[]> {
    const isHeld = `coalesce(last.lease_until > ${this.#db.schema}.now_ms(), false)`;
    const jobs = await this.#select(
      `next_at <= $1 AND NOT ${isHeld} ORDER BY next_at, seq LIMIT $2`,
      [now, limit],
    );
    return jobs.filter(({ lastRun }) => lastRun?.status !== "running");
  }

  async claim(id: string, slot: number, next: number | undefined): Promise<boolean> {
    const startedAt = await this.#db.value(
      `SELECT ${this.#db.schema}.claim_slot($1, $2, $3, $4, $5)`,
      [toName(id), slot, next ?? null, this.#leaseMs, randomUUID()],
    );
    if (startedAt === null) return false;
    this.#leases.hold(leaseName(id, slot));
    return true;
  }

  async finish(id: string, run: ScheduledRun): Promise<void> {
    this.#leases.drop(leaseName(id, run.slot));
    await this.#db.run(
      `UPDATE ${this.#db.schema}.schedule_runs SET run = $3, lease_until = 0
       WHERE id = $1 AND slot = $2`,
      [toName(id), run.slot, JSON.stringify(run)],
    );
  }

  /** No lease is renewed any more. */
  stop(): void {
    this.#leases.stop();
  }

  async #select(condition: string, values: readonly unknown[]): Promise<readonly StoredJob[]> {
    const { schema } = this.#db;
    const rows = await this.#db.run(
      `SELECT job, next_at, runs, run, lease_until > ${schema}.now_ms() AS is_held
       FROM ${schema}.schedules s LEFT JOIN LATERAL (SELECT run, lease_until
         FROM ${schema}.schedule_runs r WHERE r.id = s.id ORDER BY slot DESC LIMIT 1) AS last ON true
       WHERE ${condition}`,
      values,
    );
    return rows.map((row) => this.#toStored(row));
  }

  #toStored(row: Row): StoredJob {
    const job = JSON.parse(row["job"] as string) as ScheduledJob;
    const nextAt = row["next_at"] as number | null;
    const run = row["run"] as string | null;
    const lastRun = run === null ? undefined : (JSON.parse(run) as ScheduledRun);
    const isLost =
      lastRun?.status === "running" &&
      row["is_held"] !== true &&
      !this.#leases.has(leaseName(job.id, lastRun.slot));
    return {
      ...job,
      ...(nextAt === null ? {} : { nextAt }),
      runs: row["runs"] as number,
      ...(lastRun === undefined
        ? {}
        : { lastRun: isLost ? { ...lastRun, status: "unfinished" } : lastRun }),
    };
  }
}

function leaseName(id: string, slot: number): string {
  return JSON.stringify([id, slot]);
}
