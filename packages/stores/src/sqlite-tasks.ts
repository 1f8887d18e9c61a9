import type { StatementSync } from "node:sqlite";
import type {
  ListedTask,
  StoredTask,
  TaskChange,
  TaskRecord,
  TaskStore,
} from "@toolweave/core/stores";
import { ToolError } from "@toolweave/core";
import { quotaOwner } from "@toolweave/core/stores";
import { lastMoment } from "./described-artifact.ts";
import { Leases, type LeaseOptions } from "./leases.ts";
import { RowWatch } from "./row-watch.ts";
import { renewInFile, type SqliteFile } from "./sqlite-file.ts";
import { ownerLimitError, type OwnerLimit } from "./store-limits.ts";

/** The maximum number of stored tasks. */
const maxTasks = 10_000;

/**
 * The maximum number of characters of all tasks with their results; the last one to end is stored, however large it is.
 */
const maxTextLength = 268_435_456;

/** The maximum number of rows that one `add` removes, so that none takes long. */
const maxSwept = 100;

interface Row {
  readonly id: string;
  readonly owner: string;
  readonly status: TaskRecord["status"];
  readonly task: string;
  readonly expires_at: number;
  readonly lease_until: number;
  readonly cancel_requested_by: string | null;
}

/**
 * Tasks in a table. The process that runs a task has a lease on it, which only shows others whether the process is
 * alive: a task whose process has ended is reported as lost, and no other process runs it.
 */
export class SqliteTasks implements TaskStore {
  readonly #file: SqliteFile;
  /** On what this store runs. */
  readonly #leases: Leases;
  readonly #select;
  readonly #ofOwner;
  readonly #latest;
  readonly #insert;
  readonly #update;
  readonly #count;
  readonly #text;
  readonly #sweep;
  readonly #dropEnded;
  readonly #dropEndedByOwner;
  readonly #countByOwner;
  readonly #largest;
  readonly #longest;
  readonly #maxPerOwner: number;
  readonly #requestCancel;
  readonly #watch: RowWatch;

  constructor(file: SqliteFile, options: LeaseOptions & OwnerLimit) {
    this.#file = file;
    this.#maxPerOwner = options.maxPerOwner;
    this.#select = file.prepare("SELECT * FROM tasks WHERE id = ? AND expires_at > ?");
    this.#ofOwner = file.prepare(
      "SELECT * FROM tasks WHERE owner = ? AND expires_at > ? ORDER BY seq",
    );
    this.#latest = file.prepare(
      `SELECT id, owner, status, json_remove(task, '$.result') AS task, expires_at, lease_until,
       cancel_requested_by FROM tasks WHERE expires_at > ? ORDER BY seq DESC LIMIT ?`,
    );
    this.#insert = file.prepare(
      `INSERT INTO tasks (id, owner, status, task, expires_at, lease_until, quota_owner, size)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#update = file.prepare(
      `UPDATE tasks SET status = ?, task = ?, expires_at = ?, lease_until = ?, size = ?,
       cancel_requested_by = NULL WHERE id = ?`,
    );
    this.#count = file.prepare("SELECT count(*) AS count FROM tasks");
    this.#text = file.prepare("SELECT tasks AS text FROM space");
    this.#sweep = file.prepare(
      `DELETE FROM tasks WHERE seq IN (SELECT seq FROM tasks
       WHERE expires_at <= ? ORDER BY expires_at LIMIT ${maxSwept})`,
    );
    const ended = "status NOT IN ('working', 'input_required')";
    this.#dropEnded = file.prepare(
      `DELETE FROM tasks WHERE seq IN (SELECT seq FROM tasks
       WHERE ${ended} AND id <> ? ORDER BY expires_at LIMIT ?)`,
    );
    this.#dropEndedByOwner = file.prepare(
      `DELETE FROM tasks WHERE seq IN (SELECT seq FROM tasks
       WHERE quota_owner = ? AND ${ended} AND id <> ? ORDER BY expires_at LIMIT ?)`,
    );
    this.#countByOwner = file.prepare(
      "SELECT count(*) AS count FROM tasks WHERE quota_owner = ? AND expires_at > ?",
    );
    // Only looked for when all tasks together are too many, or too long.
    this.#largest = file.prepare(
      "SELECT quota_owner FROM tasks GROUP BY quota_owner ORDER BY count(*) DESC LIMIT 1",
    );
    this.#longest = file.prepare(
      "SELECT quota_owner FROM tasks GROUP BY quota_owner ORDER BY sum(size) DESC LIMIT 1",
    );
    this.#requestCancel = file.prepare(
      "UPDATE tasks SET cancel_requested_by = ? WHERE id = ? AND status = 'working' AND expires_at > ?",
    );
    this.#watch = new RowWatch((ids) => this.#readStates(ids), options);
    const renew = file.prepare(
      "UPDATE tasks SET lease_until = ? WHERE id = ? AND status = 'working'",
    );
    this.#leases = new Leases(
      options,
      renewInFile(file, options.leaseMs, (id, until) => void renew.run(until, id)),
    );
  }

  async add(task: TaskRecord): Promise<void> {
    const kept = { ...task, expiresAt: Math.min(task.expiresAt, lastMoment) };
    const json = JSON.stringify(kept);
    await this.#file.write(() => this.#insertTask(kept, json));
    if (task.status === "working") this.#leases.hold(task.id);
  }

  async change(id: string, change: TaskChange): Promise<boolean> {
    const goesOn = change.status === "working";
    // Also if the end cannot be written: the lease then expires, and the task is reported as lost.
    if (!goesOn) this.#leases.drop(id);
    const changed = await this.#file.write(() => this.#changeTask(id, change));
    if (changed && goesOn) this.#leases.hold(id);
    return changed;
  }

  get(id: string): Promise<StoredTask | undefined> {
    return this.#file.read(() => {
      const now = this.#file.now();
      const row = this.#row(id, now);
      this.#watch.observe(id, this.#toState(row, now));
      return row === undefined ? undefined : this.#toReturned(row, now);
    });
  }

  list(owner: string): Promise<readonly StoredTask[]> {
    return this.#file.read(() => {
      const now = this.#file.now();
      const rows = this.#ofOwner.all(owner, now) as unknown as Row[];
      return rows.flatMap((row) => this.#toReturned(row, now) ?? []);
    });
  }

  listLatest(max: number): Promise<readonly ListedTask[]> {
    return this.#file.read(() => {
      const now = this.#file.now();
      const rows = this.#latest.all(now, max) as unknown as Row[];
      return rows.flatMap((row) => this.#toReturned(row, now) ?? []);
    });
  }

  watch(id: string, signal: AbortSignal): Promise<void> {
    return this.#watch.watch(id, signal);
  }

  requestCancel(id: string, by: string): Promise<boolean> {
    return this.#file.write(
      () => Number(this.#requestCancel.run(by, id, this.#file.now()).changes) === 1,
    );
  }

  /** No lease is renewed any more, and no task is watched. */
  stop(): void {
    this.#leases.stop();
    this.#watch.stop();
  }

  /** The parts of tasks that a watch notices. */
  #readStates(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    return this.#file.read(() => {
      const now = this.#file.now();
      return new Map([...ids].map((id) => [id, this.#toState(this.#row(id, now), now)]));
    });
  }

  #toState(row: Row | undefined, now: number): string {
    if (row === undefined) return "";
    const isLost = row.status === "working" && !this.#isHeld(row, now);
    return JSON.stringify([row.status, isLost, row.cancel_requested_by]);
  }

  #row(id: string, now: number): Row | undefined {
    return this.#select.get(id, now) as unknown as Row | undefined;
  }

  #insertTask(task: TaskRecord, json: string): void {
    const now = this.#file.now();
    this.#sweep.run(now);
    if (this.#row(task.id, -Infinity) !== undefined) {
      throw new ToolError(
        "internal",
        `The task "${task.id}" is kept already: give each an id of its own.`,
      );
    }
    const { id, owner, status, expiresAt } = task;
    const counted = quotaOwner(owner);
    const ownTooMany =
      (this.#countByOwner.get(counted, now)?.["count"] as number) + 1 - this.#maxPerOwner;
    if (ownTooMany > 0 && this.#dropEndedTasks(counted, id, ownTooMany) < ownTooMany)
      throw ownerLimitError("tasks", this.#maxPerOwner);
    const tooMany = (this.#count.get()?.["count"] as number) + 1 - maxTasks;
    if (tooMany > 0 && this.#drop(id, tooMany, this.#largest) < tooMany) {
      throw new ToolError(
        "limit_exceeded",
        `${maxTasks} tasks are under way already: wait for one of them, or cancel one.`,
      );
    }
    const leaseEnd = this.#leaseEnd(status, now);
    this.#insert.run(id, owner, status, json, expiresAt, leaseEnd, counted, json.length);
  }

  #changeTask(id: string, change: TaskChange): boolean {
    const now = this.#file.now();
    const row = this.#row(id, now);
    if (row === undefined || (row.status !== "working" && row.status !== "input_required")) {
      return false;
    }
    // A task that another process runs, or ran when it ended, is not handed over.
    if (row.status === "working" && change.status === "working" && !this.#leases.has(id)) {
      return false;
    }
    const expiresAt = Math.min(change.expiresAt, lastMoment);
    const { interruptionId: _, ...task } = JSON.parse(row.task) as TaskRecord;
    const json = JSON.stringify({ ...task, ...change, expiresAt });
    const leaseEnd = this.#leaseEnd(change.status, now);
    this.#update.run(change.status, json, expiresAt, leaseEnd, json.length, id);
    while (
      (this.#text.get()?.["text"] as number) > maxTextLength &&
      this.#drop(id, 1, this.#longest) > 0
    );
    return true;
  }

  /**
   * Removes those that have ended, but not this one: those of the owner that has the most, the first to end first; then
   * those of all.
   */
  #drop(id: string, count: number, most: StatementSync): number {
    const owner = most.get()?.["quota_owner"] as string;
    const dropped = this.#dropEndedTasks(owner, id, count);
    if (dropped >= count) return dropped;
    return dropped + Number(this.#dropEnded.run(id, count - dropped).changes);
  }

  #dropEndedTasks(owner: string, id: string, count: number): number {
    return Number(this.#dropEndedByOwner.run(owner, id, count).changes);
  }

  #leaseEnd(status: TaskRecord["status"], now: number): number {
    return status === "working" ? this.#leases.end(now) : 0;
  }

  #toReturned(row: Row, now: number): StoredTask | undefined {
    const task = JSON.parse(row.task) as TaskRecord;
    // The row was overwritten with another task: the caller would receive another owner's result.
    if (task.id !== row.id || task.owner !== row.owner) return undefined;
    if (row.status !== "working") return task;
    if (!this.#isHeld(row, now)) return { ...task, lost: true };
    const by = row.cancel_requested_by;
    return by === null ? task : { ...task, cancelRequestedBy: by };
  }

  /** Its own may be late with a lease, when the process was busy. */
  #isHeld(row: Row, now: number): boolean {
    return row.lease_until > now || this.#leases.has(row.id);
  }
}
