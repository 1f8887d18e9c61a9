import { randomUUID } from "node:crypto";
import { ToolError } from "@toolweave/core";
import {
  quotaOwner,
  type ListedTask,
  type StoredTask,
  type TaskChange,
  type TaskRecord,
  type TaskStore,
} from "@toolweave/core/stores";
import {
  lastMoment,
  Leases,
  ownerLimitError,
  type LeaseOptions,
  type OwnerLimit,
  type Timers,
} from "@toolweave/stores/shared";
import { ChangeWatch } from "../changes/change-watch.ts";
import type { ListenerState } from "../changes/listener.ts";
import type { Database, Row } from "../database/database.ts";
import { GroupedStatements } from "../database/grouped-statements.ts";
import { toName } from "../database/name.ts";
import { sealNames, type Sealer } from "../database/seal.ts";

/**
 * Tasks in a table. The process that runs a task has a lease on it, which only shows others whether the process is
 * alive: a task whose process has ended is reported as lost, and no other process runs it.
 */
export class PostgresTasks implements TaskStore {
  readonly #db: Database;
  readonly #sealer: Sealer;
  readonly #maxPerOwner: number;
  readonly #adds: GroupedStatements;
  readonly #changes: GroupedStatements;
  readonly #reads: GroupedStatements;
  /** On what this store runs, by name of the row. */
  readonly #leases: Leases;
  readonly #watch: ChangeWatch;

  constructor(
    db: Database,
    sealer: Sealer,
    options: LeaseOptions &
      OwnerLimit & { readonly clock: Timers; readonly listen: string | undefined },
  ) {
    this.#db = db;
    this.#sealer = sealer;
    this.#maxPerOwner = options.maxPerOwner;
    const { schema } = db;
    this.#adds = new GroupedStatements(db, {
      one: `SELECT ${schema}.add_task($1, $2, $3, $4, $5, $6, $8, $7, $9) AS answer`,
      many: `SELECT n, 'added' AS answer
        FROM ${schema}.add_tasks($1, $2, $3, $4, $5, $6, $7, $8, $9) AS n`,
      constants: [options.leaseMs, options.maxPerOwner],
    });
    this.#changes = new GroupedStatements(db, {
      one: `SELECT ${schema}.change_task($1, $2, $3, $4, $7, $5, $6) AS is_changed`,
      many: `SELECT n, true AS is_changed FROM ${schema}.change_tasks($1, $2, $3, $4, $5, $6, $7) AS n`,
      constants: [options.leaseMs],
    });
    this.#reads = new GroupedStatements(db, {
      one: `SELECT ${this.#columns} FROM ${schema}.tasks WHERE id = $1 AND expires_at > ${schema}.now_ms()`,
      many: `SELECT n, ${this.#columns} FROM unnest($1::text[]) WITH ORDINALITY AS names (name, n)
        JOIN ${schema}.tasks ON id = name WHERE expires_at > ${schema}.now_ms()`,
      isRead: true,
    });
    this.#leases = new Leases(options, (names) =>
      db.run(
        `UPDATE ${db.schema}.tasks SET lease_until = ${db.schema}.now_ms() + $2
         WHERE id IN (SELECT id FROM ${db.schema}.tasks
           WHERE id = ANY ($1) AND status = 'working' FOR UPDATE SKIP LOCKED)`,
        [[...names], options.leaseMs],
      ),
    );
    this.#watch = new ChangeWatch(db, {
      kind: "task",
      timers: options.clock,
      listen: options.listen,
      readStates: (names) => this.#readStates(names),
    });
  }

  async add(task: TaskRecord): Promise<void> {
    const name = toName(task.id);
    const expiresAt = Math.min(task.expiresAt, lastMoment);
    const values = [
      name,
      toName(task.owner),
      toName(quotaOwner(task.owner)),
      task.status,
      this.#sealer.seal(JSON.stringify({ ...task, expiresAt }), sealNames.task(name)),
      expiresAt,
      randomUUID(),
    ];
    let answer: unknown = "again";
    // `again`: the quota was nearly reached meanwhile, and has to be counted by one process alone.
    while (answer === "again") {
      answer = (await this.#adds.run(name, values))[0]?.["answer"];
    }
    if (answer === "taken") {
      throw new ToolError(
        "internal",
        `The task "${task.id}" is stored already: give each an id of its own.`,
      );
    }
    if (answer === "full") throw ownerLimitError("tasks", this.#maxPerOwner);
    if (task.status === "working") this.#leases.hold(name);
  }

  async change(id: string, change: TaskChange): Promise<boolean> {
    const name = toName(id);
    const isHeld = this.#leases.has(name);
    const continues = change.status === "working";
    // Also if the end cannot be written: the lease then expires, and the task is reported as lost.
    if (!continues) this.#leases.drop(name);
    const expiresAt = Math.min(change.expiresAt, lastMoment);
    const sealed = this.#sealer.seal(
      JSON.stringify({ ...change, expiresAt }),
      sealNames.taskChange(name),
    );
    const values = [name, change.status, sealed, expiresAt, isHeld, randomUUID()];
    const [answer] = await this.#changes.run(name, values);
    if (answer?.["is_changed"] !== true) return false;
    if (continues) this.#leases.hold(name);
    this.#watch.notify(name);
    return true;
  }

  async get(id: string): Promise<StoredTask | undefined> {
    const name = toName(id);
    const [row] = await this.#reads.run(name, [name]);
    this.#watch.observe(name, row === undefined ? "" : this.#toState(row));
    return row === undefined ? undefined : this.#toReturned(row);
  }

  async list(owner: string): Promise<readonly StoredTask[]> {
    const { schema } = this.#db;
    const rows = await this.#db.run(
      `SELECT ${this.#columns} FROM ${schema}.tasks WHERE owner = $1 AND expires_at > ${schema}.now_ms()
       ORDER BY seq`,
      [toName(owner)],
    );
    return rows.flatMap((row) => this.#toReturned(row) ?? []);
  }

  async listLatest(max: number): Promise<readonly ListedTask[]> {
    const { schema } = this.#db;
    const rows = await this.#db.run(
      `SELECT id, owner, status, task, change, cancel_requested_by, lease_until > ${schema}.now_ms() AS is_held
       FROM ${schema}.tasks WHERE expires_at > ${schema}.now_ms() ORDER BY seq DESC LIMIT $1`,
      [max],
    );
    return rows.flatMap((row) => {
      const task = this.#toReturned(row);
      if (task === undefined) return [];
      const { result: _, ...listed } = task;
      return [listed];
    });
  }

  watch(id: string, signal: AbortSignal): Promise<void> {
    return this.#watch.watch(toName(id), signal);
  }

  async requestCancel(id: string, by: string): Promise<boolean> {
    const name = toName(id);
    const { schema } = this.#db;
    const rows = await this.#db.run(
      `UPDATE ${schema}.tasks SET cancel_requested_by = $2
       WHERE id = $1 AND status = 'working' AND expires_at > ${schema}.now_ms() RETURNING 1`,
      [name, JSON.stringify(by)],
    );
    if (rows.length === 0) return false;
    this.#watch.notify(name);
    return true;
  }

  /** Connects for notifications, and finds out whether they arrive. `undefined`: the store only polls. */
  listening(): Promise<ListenerState | undefined> {
    return this.#watch.state();
  }

  /** No lease is renewed any more, and no task is watched. */
  stop(): void {
    this.#leases.stop();
    this.#watch.stop();
  }

  /** The parts of tasks that a watch notices. */
  async #readStates(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { schema } = this.#db;
    const rows = await this.#db.run(
      `SELECT id, status, cancel_requested_by, lease_until > ${schema}.now_ms() AS is_held
       FROM ${schema}.tasks WHERE id = ANY ($1) AND expires_at > ${schema}.now_ms()`,
      [names],
    );
    return new Map(rows.map((row) => [row["id"] as string, this.#toState(row)]));
  }

  #toState(row: Row): string {
    const { status, cancel_requested_by: by } = row;
    return JSON.stringify([status, status === "working" && !this.#isHeld(row), by]);
  }

  /** Its own may be late with a lease, when the process was busy. */
  #isHeld(row: Row): boolean {
    return row["is_held"] === true || this.#leases.has(row["id"] as string);
  }

  get #columns(): string {
    return `id, owner, status, task, change, cancel_requested_by,
      lease_until > ${this.#db.schema}.now_ms() AS is_held`;
  }

  /** `undefined`: the row was overwritten with another task, whose result belongs to another owner. */
  #toReturned(row: Row): StoredTask | undefined {
    const name = row["id"] as string;
    const added = this.#read<TaskRecord>(row["task"], sealNames.task(name));
    if (toName(added.id) !== name || toName(added.owner) !== row["owner"]) return undefined;
    let task = added;
    if (row["change"] !== null) {
      const { interruptionId: _, ...base } = added;
      task = { ...base, ...this.#read<TaskChange>(row["change"], sealNames.taskChange(name)) };
    }
    if (task.status !== "working") return task;
    if (!this.#isHeld(row)) return { ...task, lost: true };
    const by = row["cancel_requested_by"];
    return typeof by === "string" ? { ...task, cancelRequestedBy: JSON.parse(by) as string } : task;
  }

  #read<T>(stored: unknown, name: string): T {
    return JSON.parse(this.#sealer.open(stored as Uint8Array, name)) as T;
  }
}
