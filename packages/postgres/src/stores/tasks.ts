import { randomUUID } from "node:crypto";
import { ToolError } from "@toolweave/core";
import {
  quotaOwner,
  type TaskChange,
  type TaskRecord,
  type TaskStore,
} from "@toolweave/core/stores";
import { lastMoment, Leases, type Timers } from "@toolweave/stores/shared";
import type { Database, Row } from "../database/database.ts";
import { toName } from "../database/name.ts";
import type { Sealer } from "../database/seal.ts";

type ReturnedTask = TaskRecord & { readonly lost?: true };

/**
 * Tasks in a table. The process that runs a task has a lease on it, which only shows others whether the process is
 * alive: a task whose process has ended is reported as lost, and no other process runs it.
 */
export class PostgresTasks implements TaskStore {
  readonly #db: Database;
  readonly #sealer: Sealer;
  readonly #leaseMs: number;
  readonly #maxPerOwner: number;
  /** On what this store runs. */
  readonly #leases: Leases;

  constructor(
    db: Database,
    sealer: Sealer,
    options: { readonly leaseMs: number; readonly clock: Timers; readonly maxPerOwner: number },
  ) {
    this.#db = db;
    this.#sealer = sealer;
    this.#leaseMs = options.leaseMs;
    this.#maxPerOwner = options.maxPerOwner;
    this.#leases = new Leases(options, (ids) =>
      db.run(
        `UPDATE ${db.schema}.tasks SET lease_until = ${db.schema}.now_ms() + $2
         WHERE id IN (SELECT id FROM ${db.schema}.tasks
           WHERE id = ANY ($1) AND status = 'working' FOR UPDATE SKIP LOCKED)`,
        [[...ids].map(toName), options.leaseMs],
      ),
    );
  }

  async add(task: TaskRecord): Promise<void> {
    const name = toName(task.id);
    const expiresAt = Math.min(task.expiresAt, lastMoment);
    const values = [
      name,
      toName(task.owner),
      toName(quotaOwner(task.owner)),
      task.status,
      this.#sealer.seal(JSON.stringify({ ...task, expiresAt }), `task ${name}`),
      expiresAt,
      this.#leaseMs,
      randomUUID(),
      this.#maxPerOwner,
    ];
    let answer: unknown = "again";
    // `again`: the quota was nearly reached meanwhile, and has to be counted by one process alone.
    while (answer === "again") {
      answer = await this.#db.value(
        `SELECT ${this.#db.schema}.add_task($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        values,
      );
    }
    if (answer === "taken") {
      throw new ToolError(
        "internal",
        `The task "${task.id}" is stored already: give each an id of its own.`,
      );
    }
    if (answer === "full") {
      throw new ToolError(
        "limit_exceeded",
        `${this.#maxPerOwner} tasks of this caller are under way already: wait for one of them, cancel one, or raise maxTasksPerOwner of the store.`,
      );
    }
    if (task.status === "working") this.#leases.hold(task.id);
  }

  async change(id: string, change: TaskChange): Promise<boolean> {
    const isHeld = this.#leases.has(id);
    const continues = change.status === "working";
    // Also if the end cannot be written: the lease then expires, and the task is reported as lost.
    if (!continues) this.#leases.drop(id);
    const name = toName(id);
    const expiresAt = Math.min(change.expiresAt, lastMoment);
    const isChanged = await this.#db.value(
      `SELECT ${this.#db.schema}.change_task($1, $2, $3, $4, $5, $6, $7)`,
      [
        name,
        change.status,
        this.#sealer.seal(JSON.stringify({ ...change, expiresAt }), `task change ${name}`),
        expiresAt,
        this.#leaseMs,
        isHeld,
        randomUUID(),
      ],
    );
    if (isChanged === true && continues) this.#leases.hold(id);
    return isChanged === true;
  }

  async get(id: string): Promise<ReturnedTask | undefined> {
    const [row] = await this.#select("id", id);
    return row === undefined ? undefined : this.#toReturned(row);
  }

  async list(owner: string): Promise<readonly ReturnedTask[]> {
    const rows = await this.#select("owner", owner);
    return rows.flatMap((row) => this.#toReturned(row) ?? []);
  }

  /** No lease is renewed any more. */
  stop(): void {
    this.#leases.stop();
  }

  #select(column: "id" | "owner", value: string): Promise<readonly Row[]> {
    const { schema } = this.#db;
    return this.#db.run(
      `SELECT id, owner, status, task, change, lease_until > ${schema}.now_ms() AS is_held
       FROM ${schema}.tasks WHERE ${column} = $1 AND expires_at > ${schema}.now_ms() ORDER BY seq`,
      [toName(value)],
    );
  }

  /** `undefined`: the row was overwritten with another task, whose result belongs to another owner. */
  #toReturned(row: Row): ReturnedTask | undefined {
    const name = row["id"] as string;
    const added = this.#read<TaskRecord>(row["task"], `task ${name}`);
    if (toName(added.id) !== name || toName(added.owner) !== row["owner"]) return undefined;
    let task = added;
    if (row["change"] !== null) {
      const { interruptionId: _, ...base } = added;
      task = { ...base, ...this.#read<TaskChange>(row["change"], `task change ${name}`) };
    }
    const isHeld = row["is_held"] === true || this.#leases.has(task.id);
    return task.status === "working" && !isHeld ? { ...task, lost: true } : task;
  }

  #read<T>(stored: unknown, name: string): T {
    return JSON.parse(this.#sealer.open(stored as Uint8Array, name)) as T;
  }
}
