import { ownerOf } from "../contract/owner.ts";
import type { EventFields } from "../events/tool-event.ts";
import type { Clock } from "../time/clock.ts";
import type { CallInfo } from "../contract/call-info.ts";
import { messageOf } from "../contract/error-message.ts";
import { withTimeout } from "../time/with-timeout.ts";
import { cloneJson } from "../json/clone-json.ts";
import { withdraw, type PendingCallStore } from "../approvals/pending-call-store.ts";
import { isThenable, promised, type Awaitable } from "../json/json.ts";
import type { ToolOutcome } from "../contract/tool-result.ts";
import { ToolError } from "../contract/tool-error.ts";
import { changeBy } from "./task-change.ts";
import { changedBy, checkedRecord, hasEnded, type FoundTask } from "./task-record.ts";
import type { TaskChange, TaskRecord, TaskStore } from "./task-store.ts";

/** How long a store is waited for. */
export const storeMs = 5000;

/** How long a task is kept after the last that happened to it. */
const lifetimeMs = 24 * 60 * 60 * 1000;

/** More that the store would not take are not kept: the oldest go. */
const maxUnstored = 1000;

/** A call that goes on as a task. */
export interface TaskCall extends CallInfo {
  readonly ended: boolean;
  readonly engine: {
    readonly drain: { keep<T>(work: Promise<T>): Promise<T> };
    readonly events: { emitCall(call: CallInfo, fields: EventFields): void };
    readonly pendingCalls: PendingCallStore;
  };
  stop(reason: ToolError): void;
}

/** A task that this process runs, or the store would not take. */
interface LocalTask {
  record: TaskRecord;
  /** Absent: it does not run. */
  execution: TaskCall | undefined;
  /** Resolves when it does not run any more, and that is kept. */
  readonly over: Promise<void>;
}

/** An executor's tasks: those that it runs, and the store of all. */
export class Tasks {
  readonly #store: TaskStore;
  readonly #clock: Clock;
  readonly #own = new Map<string, LocalTask>();
  /** What tasks of this process failed with, as it was: a store keeps what a model may see of it. */
  readonly #errors = new Map<string, ToolError>();

  constructor(store: TaskStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A new record for a call that becomes a task. */
  recordOf({ run, call }: CallInfo): TaskRecord {
    const now = this.#clock.now();
    return {
      id: `task_${crypto.randomUUID().replaceAll("-", "")}`,
      owner: ownerOf(run),
      runId: run.id,
      callId: call.id,
      tool: call.name,
      status: "working",
      createdAt: now,
      updatedAt: now,
      expiresAt: now + lifetimeMs,
    };
  }

  /** @throws what the store throws. */
  async add(record: TaskRecord): Promise<void> {
    await this.#store.add(record);
  }

  /**
   * Changes a task that has not ended; `false`: it has.
   *
   * @throws what the store throws, and for what is no answer.
   */
  async change(id: string, change: Omit<TaskChange, "updatedAt" | "expiresAt">): Promise<boolean> {
    const changing = this.#store.change(id, { ...change, ...this.#times() });
    const changed: unknown = await this.#answer(changing);
    if (typeof changed !== "boolean") throw new TypeError("The store of tasks answers nonsense.");
    // From now on the store knows more of it again.
    if (changed && this.#own.get(id)?.execution === undefined) this.#own.delete(id);
    return changed;
  }

  /** The task that this process knows more of than the store. */
  own(id: string): LocalTask | undefined {
    return this.#own.get(id);
  }

  /**
   * The task, of whomever; `undefined`: there is none of that id, or it has expired.
   *
   * @throws what the store throws, and for what is no task.
   */
  async find(id: string): Promise<FoundTask | undefined> {
    const own = this.#own.get(id);
    if (own !== undefined && this.#lives(own)) return cloneJson(own.record);
    return checkedRecord(id, await this.#answer(this.#store.get(id)));
  }

  /** What a task of this process failed with last, unless that was long ago. */
  errorOf(id: string): ToolError | undefined {
    return this.#errors.get(id);
  }

  /** Those of one owner, oldest first. @throws as `find` */
  async list(owner: string): Promise<readonly FoundTask[]> {
    const kept: unknown = await this.#answer(this.#store.list(owner));
    if (!Array.isArray(kept)) throw new TypeError("The store of tasks answers nonsense.");
    const byId = new Map<string, FoundTask>();
    for (const one of kept as unknown[]) {
      const record = checkedRecord(undefined, one);
      // A store that mixes owners up must not tell one of the other.
      if (record?.owner === owner) byId.set(record.id, record);
    }
    for (const own of this.#own.values()) {
      if (own.record.owner === owner && this.#lives(own)) byId.set(own.record.id, own.record);
    }
    return [...byId.values()].sort((a, b) => a.createdAt - b.createdAt);
  }

  /** The call goes on as this task, in this process. Returns what has to hear of its outcome. */
  run(execution: TaskCall, record: TaskRecord): (outcome: Awaitable<ToolOutcome>) => void {
    let end: (() => void) | undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const task: LocalTask = { record, execution, over };
    this.#own.set(record.id, task);
    void execution.engine.drain.keep(over);
    return (outcome) => {
      void Promise.resolve(outcome)
        .then((known) => this.#end(task, execution, known))
        .finally(end);
    };
  }

  /** What came of a call that was to go on with a task, and did not get to it. */
  async endEarly(execution: TaskCall, record: TaskRecord, outcome: ToolOutcome): Promise<void> {
    const task = { record, execution: undefined, over: Promise.resolve() };
    await this.#end(task, execution, outcome);
  }

  /** Keeps what came of a task, and tells it. Never rejects. */
  async #end(task: LocalTask, execution: TaskCall, outcome: ToolOutcome): Promise<void> {
    const { id } = task.record;
    const change = changeBy(execution, outcome);
    let record = changedBy(task.record, { ...change, ...this.#times() });
    let isStored = true;
    try {
      if (!(await this.change(id, change))) {
        // Somebody else has ended it: that holds.
        const kept = checkedRecord(id, await this.#answer(this.#store.get(id)));
        if (kept !== undefined && hasEnded(kept)) record = kept;
        else isStored = false;
      }
    } catch (error) {
      isStored = false;
      const message = messageOf(error);
      execution.engine.events.emitCall(execution, {
        type: "store.failed",
        store: "tasks",
        message,
      });
    }
    if (outcome.status !== "interrupted") this.#keepError(id, outcome.error);
    task.record = record;
    task.execution = undefined;
    if (isStored) this.#own.delete(id);
    else this.#remember(id, task);
    if (outcome.status === "interrupted" && record.status !== "input_required") {
      void withdraw(execution.engine.pendingCalls, outcome.interruption);
    }
    emitTaskEvent(execution, record);
  }

  #keepError(id: string, error: ToolError | undefined): void {
    if (!(error instanceof ToolError)) return;
    this.#errors.set(id, error);
    const [oldest] = this.#errors.keys();
    if (this.#errors.size > maxUnstored) this.#errors.delete(oldest as string);
  }

  /** The store would not have it: this process does not lose it for that. */
  #remember(id: string, task: LocalTask): void {
    this.#own.delete(id);
    this.#own.set(id, task);
    let left = this.#own.size - maxUnstored;
    for (const [other, { execution }] of this.#own) {
      if (left <= 0) return;
      left -= 1;
      if (execution === undefined) this.#own.delete(other);
    }
  }

  #lives({ record, execution }: LocalTask): boolean {
    return execution !== undefined || record.expiresAt > this.#clock.now();
  }

  #times(): Pick<TaskRecord, "updatedAt" | "expiresAt"> {
    const now = this.#clock.now();
    return { updatedAt: now, expiresAt: now + lifetimeMs };
  }

  #answer<T>(asked: Awaitable<T>): Awaitable<T> {
    return isThenable(asked) ? withTimeout(this.#clock, storeMs, promised(asked)) : asked;
  }
}

function emitTaskEvent(execution: TaskCall, { id: taskId, status, ...record }: TaskRecord): void {
  const { events } = execution.engine;
  switch (status) {
    case "input_required":
      return events.emitCall(execution, {
        type: "task.input_required",
        taskId,
        interruptionId: record.interruptionId,
      });
    case "completed":
      return events.emitCall(execution, {
        type: "task.completed",
        taskId,
        isError: record.error !== undefined,
      });
    case "failed":
      return events.emitCall(execution, {
        type: "task.failed",
        taskId,
        code: record.error?.code ?? "execution_failed",
      });
    default:
      events.emitCall(execution, { type: "task.cancelled", taskId });
  }
}
