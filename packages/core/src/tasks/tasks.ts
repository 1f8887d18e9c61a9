import { toOwner } from "../contract/caller.ts";
import type { EventFields } from "../events/tool-event.ts";
import type { Clock } from "../time/clock.ts";
import type { CallInfo } from "../contract/call-info.ts";
import { ToolError } from "../contract/tool-error.ts";
import { defectError, toErrorMessage } from "../contract/error-message.ts";
import { pause, withTimeout } from "../time/waiting.ts";
import { cloneJson } from "../json/clone-json.ts";
import { withdraw, type PendingCallStore } from "../approvals/pending-call-store.ts";
import { isThenable, promised, type Awaitable } from "../json/json.ts";
import type { ToolOutcome } from "../contract/tool-result.ts";
import {
  changeBy,
  changedBy,
  checkedListing,
  checkedRecord,
  endedWith,
  hasEnded,
  type FoundTask,
} from "./task-record.ts";
import type { ListedTask, TaskChange, TaskRecord, TaskStore } from "./task-store.ts";

/** Timeout of a store, in milliseconds. */
export const storeMs = 5000;

/** Milliseconds until a store that could not be watched is watched again. */
const unavailableMs = 1000;

/** Lifetime of a task after its last change: 24 hours. */
const lifetimeMs = 24 * 60 * 60 * 1000;

/** Maximum number of tasks that could not be stored; the oldest are dropped. */
const maxUnstored = 1000;

/** A call that runs as a task. */
export interface TaskCall extends CallInfo {
  readonly engine: {
    readonly drain: { keep<T>(work: Promise<T>): Promise<T> };
    readonly events: { emitCall(call: CallInfo, fields: EventFields): void };
    readonly pendingCalls: PendingCallStore;
  };
  stop(reason: ToolError): void;
}

/** A task that this process runs, or that could not be stored. */
interface LocalTask {
  record: TaskRecord;
  /** Absent: the task does not run. */
  execution: TaskCall | undefined;
  /** The outcome is known, and is being stored. */
  isEnding: boolean;
  /** Resolves when the task does not run any more, and that is stored. */
  readonly over: Promise<void>;
}

/** The tasks of an executor: those that it runs, and the store of all. */
export class Tasks {
  readonly #store: TaskStore;
  readonly #clock: Clock;
  readonly #own = new Map<string, LocalTask>();
  /** Original errors of tasks of this process: a store keeps only the part that a model may see. */
  readonly #errors = new Map<string, ToolError>();

  constructor(store: TaskStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Creates a record for a call that becomes a task. */
  createRecord({ run, call }: CallInfo): TaskRecord {
    const now = this.#clock.now();
    return {
      id: `task_${crypto.randomUUID().replaceAll("-", "")}`,
      owner: toOwner(run),
      runId: run.id,
      callId: call.id,
      tool: call.name,
      status: "working",
      createdAt: now,
      updatedAt: now,
      expiresAt: now + lifetimeMs,
    };
  }

  /** @throws the errors of the store. */
  async add(record: TaskRecord): Promise<void> {
    await this.#store.add(record);
  }

  /**
   * Changes a task that has not ended; `false`: it has.
   *
   * @throws the errors of the store, and a TypeError for an answer that is not valid.
   */
  async change(id: string, change: Omit<TaskChange, "updatedAt" | "expiresAt">): Promise<boolean> {
    const changing = this.#store.change(id, { ...change, ...this.#times() });
    const changed: unknown = await this.#answer(changing);
    if (typeof changed !== "boolean") throw new TypeError("The store of tasks answers nonsense.");
    // From now on the store is up to date again.
    if (changed && this.#own.get(id)?.execution === undefined) this.#own.delete(id);
    return changed;
  }

  /** The task, if this process knows a newer state of it than the store. */
  own(id: string): LocalTask | undefined {
    return this.#own.get(id);
  }

  /**
   * Finds a task of any owner; `undefined`: there is no task of that id, or it has expired.
   *
   * @throws the errors of the store, and a TypeError for an answer that is not a task.
   */
  async find(id: string): Promise<FoundTask | undefined> {
    const own = this.#own.get(id);
    if (own !== undefined && this.#lives(own)) return cloneJson(own.record);
    return checkedRecord(id, await this.#answer(this.#store.get(id)));
  }

  /** The last error of a task of this process. Only the latest 1,000 are kept. */
  findError(id: string): ToolError | undefined {
    return this.#errors.get(id);
  }

  /**
   * Lists the tasks of one owner, oldest first.
   *
   * @throws as `find`
   */
  async list(owner: string): Promise<readonly FoundTask[]> {
    const kept: unknown = await this.#answer(this.#store.list(owner));
    if (!Array.isArray(kept)) throw new TypeError("The store of tasks answers nonsense.");
    const byId = new Map<string, FoundTask>();
    for (const one of kept as unknown[]) {
      const record = checkedRecord(undefined, one);
      // A store that confuses owners must not reveal a task to another owner.
      if (record?.owner === owner) byId.set(record.id, record);
    }
    for (const own of this.#own.values()) {
      if (own.record.owner === owner && this.#lives(own)) byId.set(own.record.id, own.record);
    }
    return [...byId.values()].sort((a, b) => a.createdAt - b.createdAt);
  }

  /**
   * Lists the latest tasks of all owners, newest first; `undefined`: the store cannot.
   *
   * @throws as `find`
   */
  async latest(max: number): Promise<readonly ListedTask[] | undefined> {
    if (this.#store.listLatest === undefined) return undefined;
    const stored: unknown = await this.#answer(this.#store.listLatest(max));
    if (!Array.isArray(stored)) throw new TypeError("The store of tasks answers nonsense.");
    const byId = new Map(
      (stored as readonly unknown[]).map((one) => {
        const record = checkedListing(one);
        return [record.id, record] as const;
      }),
    );
    for (const own of this.#own.values()) {
      if (this.#lives(own)) byId.set(own.record.id, own.record);
    }
    return [...byId.values()].sort((a, b) => b.createdAt - a.createdAt).slice(0, max);
  }

  /** Runs the call as this task, in this process. Returns the function that receives its outcome. */
  run(execution: TaskCall, record: TaskRecord): (outcome: Awaitable<ToolOutcome>) => void {
    let end: (() => void) | undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const task: LocalTask = { record, execution, isEnding: false, over };
    this.#own.set(record.id, task);
    void execution.engine.drain.keep(over);
    const ending = new AbortController();
    void this.#cancelOnRequest(record.id, execution, ending.signal);
    return (outcome) => {
      task.isEnding = true;
      ending.abort();
      void Promise.resolve(outcome)
        .then((known) => this.#end(task, execution, known))
        .catch((defect: unknown) => this.#abandon(task, execution, defect))
        .then(end, end);
    };
  }

  /** Stops the call when another process asks for that. */
  async #cancelOnRequest(id: string, execution: TaskCall, signal: AbortSignal): Promise<void> {
    if (!this.canCancelElsewhere) return;
    while (!signal.aborted) {
      try {
        const changed = this.watch(id, signal);
        const by = (await this.#store.get(id))?.cancelRequestedBy;
        if (by !== undefined && !signal.aborted) {
          return execution.stop(new ToolError("cancelled", "The task was cancelled."));
        }
        await changed;
      } catch {
        // The store is unavailable.
        await pause(unavailableMs, { clock: this.#clock, signal, unref: true });
      }
    }
  }

  /** True when tasks can be cancelled by a process that does not run them. */
  get canCancelElsewhere(): boolean {
    const { watch, requestCancel } = this.#store;
    return typeof watch === "function" && typeof requestCancel === "function";
  }

  /** Resolves when the task may have changed; `undefined`: the store cannot be watched. */
  watch(id: string, signal: AbortSignal): Promise<void> | undefined {
    return this.#store.watch?.(id, signal);
  }

  /** @throws as `change` */
  async requestCancel(id: string, by: string): Promise<boolean> {
    return (await this.#answer(this.#store.requestCancel?.(id, by))) === true;
  }

  /** Stores the outcome of a call that was to resume a task, and did not get that far. */
  async endEarly(execution: TaskCall, record: TaskRecord, outcome: ToolOutcome): Promise<void> {
    const task = { record, execution: undefined, isEnding: true, over: Promise.resolve() };
    await this.#end(task, execution, outcome);
  }

  /** Stores the outcome of a task, and emits it. Never rejects. */
  async #end(task: LocalTask, execution: TaskCall, outcome: ToolOutcome): Promise<void> {
    const { id } = task.record;
    const change = changeBy(execution, outcome);
    let record = changedBy(task.record, { ...change, ...this.#times() });
    let isStored = true;
    try {
      if (!(await this.change(id, change))) {
        // Another process has ended the task: its result counts.
        const kept = checkedRecord(id, await this.#answer(this.#store.get(id)));
        if (kept !== undefined && hasEnded(kept)) record = kept;
        else isStored = false;
      }
    } catch (error) {
      isStored = false;
      const message = toErrorMessage(error);
      execution.engine.events.emitCall(execution, {
        type: "store.failed",
        store: "tasks",
        message,
      });
    }
    task.record = record;
    task.execution = undefined;
    if (isStored) this.#own.delete(id);
    else this.#remember(id, task);
    if (outcome.status !== "interrupted") this.#keepError(id, outcome.error);
    if (outcome.status === "interrupted" && record.status !== "input_required") {
      void withdraw(execution.engine.pendingCalls, outcome.interruption);
    }
    emitTaskEvent(execution, record);
  }

  /** Ends a task for a defect of the executor: without an end, its readers would wait forever. */
  async #abandon(task: LocalTask, execution: TaskCall, defect: unknown): Promise<void> {
    if (task.execution === undefined) return;
    const { id, tool } = task.record;
    const error = defectError(tool, defect);
    const ended = endedWith(task.record, error.code, error.message);
    const change = { status: "failed", ...ended } as const;
    task.record = changedBy(task.record, { ...change, ...this.#times() });
    task.execution = undefined;
    this.#remember(id, task);
    this.#keepError(id, error);
    emitTaskEvent(execution, task.record);
    // The store may have an outcome already: that one counts.
    if (!(await this.change(id, change))) this.#own.delete(id);
  }

  #keepError(id: string, error: ToolError | undefined): void {
    if (!(error instanceof ToolError)) return;
    this.#errors.set(id, error);
    const [oldest] = this.#errors.keys();
    if (this.#errors.size > maxUnstored) this.#errors.delete(oldest as string);
  }

  /** Keeps a task that could not be stored in this process. */
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
    return isThenable(asked)
      ? withTimeout(promised(asked), storeMs, { clock: this.#clock })
      : asked;
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
