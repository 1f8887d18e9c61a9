import type { Caller } from "../contract/caller.ts";
import type { Awaitable, JsonObject } from "../json/json.ts";

/** When a job runs. */
export type JobSchedule =
  /** An expression of cron(8) with 5 fields, or 6 with seconds first, in a time zone of IANA. */
  | { readonly cron: string; readonly timeZone: string }
  /** Once: milliseconds since the epoch. */
  | { readonly at: number }
  /** Again and again, from a moment on: milliseconds. */
  | { readonly everyMs: number; readonly from: number };

/** A call that is made later. */
export interface ScheduledJob {
  readonly id: string;
  /** Derived from the caller; compared as a whole. */
  readonly owner: string;
  readonly name?: string;
  readonly schedule: JobSchedule;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** For whom the call is made. */
  readonly caller?: Caller;
  /** SHA-256 of the tool's spec when the job was added: another tool of that name is not run. */
  readonly specHash: string;
  /** For slots in which no worker was there: they are left out, or the last one is run late. */
  readonly missed: "skip" | "once";
  readonly maxRuns?: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** The outcome of one slot of a job. */
export interface ScheduledRun {
  /** The moment for which it was planned: milliseconds since the epoch. */
  readonly slot: number;
  /** `unfinished`: its process has ended, and what came of it is not known. It is not run again. */
  readonly status: "running" | "completed" | "failed" | "interrupted" | "skipped" | "unfinished";
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** A sentence about the outcome. */
  readonly detail?: string;
}

/** A job as a store knows it. */
export interface StoredJob extends ScheduledJob {
  /** The slot that comes next. Absent: the job has ended. */
  readonly nextAt?: number;
  /** The number of slots that were run. */
  readonly runs: number;
  readonly lastRun?: ScheduledRun;
}

/** A store of jobs. Several workers, in several processes, may take jobs from it: each slot is taken by one of them. */
export interface ScheduleStore {
  /**
   * Stores a job that runs first at `nextAt`.
   *
   * @throws ToolError `limit_exceeded` when the owner has as many as it may have, `store_unavailable`.
   */
  add(job: ScheduledJob, nextAt: number): Awaitable<void>;
  /** The jobs of an owner, also those that have ended, oldest first. */
  list(owner: string): Awaitable<readonly StoredJob[]>;
  /** False: the owner has no such job. A run that has begun is not cancelled. */
  remove(owner: string, id: string): Awaitable<boolean>;
  /** Jobs whose slot is not later than `now` and that do not run, the earliest first. */
  due(now: number, limit: number): Awaitable<readonly StoredJob[]>;
  /**
   * Takes a slot, before anything of it is run: by this call alone, of all processes.
   *
   * @param next the slot after it; absent: it is the last one.
   * @returns false: another worker has taken it, or the job was removed.
   */
  claim(id: string, slot: number, next: number | undefined): Awaitable<boolean>;
  /** Stores what came of a slot. */
  finish(id: string, run: ScheduledRun): Awaitable<void>;
}
