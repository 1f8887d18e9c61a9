import { copyCaller, toOwner, parseOwner, type Behalf } from "../contract/caller.ts";
import type { PendingCallRecord } from "../approvals/pending-call-store.ts";
import { checkOptions, checkSignal } from "../contract/check-options.ts";
import { atLeastZero } from "../contract/option-checks.ts";
import type { EventFields } from "../events/tool-event.ts";
import type { Clock } from "../time/clock.ts";
import type { PendingCallStore } from "../approvals/pending-call-store.ts";
import { pause, withTimeout } from "../time/waiting.ts";
import type { Interruption } from "../contract/interruption.ts";
import type { ToolOutcome } from "../contract/tool-result.ts";
import { ToolError } from "../contract/tool-error.ts";
import { endedWith, hasEnded, toLostTask, toOutcome, type FoundTask } from "./task-record.ts";
import type { TaskRecord } from "./task-store.ts";
import { storeMs, type Tasks } from "./tasks.ts";

/** On whose behalf a task is read: the session and the caller of the run that made it. */
export type TaskOptions = Behalf;

/** Options for waiting for a task's result. */
export interface TaskResultOptions extends TaskOptions {
  /** Ends the wait, but not the task. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to wait. 0: none. Default: until the task has ended. */
  readonly waitMs?: number | undefined;
}

/** The state of a task. */
export interface TaskInfo extends Omit<TaskRecord, "owner" | "result" | "interruptionId"> {
  /** With `input_required`, as long as it can be answered: pass it to `executor.resume`. */
  readonly interruption?: Interruption;
}

/** A task of any owner. */
export interface OwnedTask extends Omit<TaskInfo, "interruption"> {
  /** With `input_required`: the id of the interruption. */
  readonly interruptionId?: string;
  /** On whose behalf it was made. `undefined`: no executor has derived its owner. */
  readonly behalf: TaskOptions | undefined;
}

/** The parts of an executor that its tasks use. */
export interface TaskServices {
  readonly tasks: Tasks;
  readonly pendingCalls: PendingCallStore;
  readonly events: { emit(fields: EventFields): void };
  readonly clock: Clock;
  readonly maxTimeoutMs: number;
}

/** Maximum number of times that the state of a task to cancel is read. */
const maxPolls = 5;

/** Milliseconds between two such reads while the task is being resumed. */
const claimedMs = 100;

/** Polling interval for a task of another process, in milliseconds. */
const pollMs = 1000;

/** The same if the store is watched, in case it does not notice a change. */
const watchedPollMs = 10_000;

/** Milliseconds that another process has to cancel a task. */
const maxCancelMs = 10_000;

/** A wait for a change of a task. */
interface TaskWatch {
  /** Absent: the store cannot be watched. */
  readonly changed: Promise<void> | undefined;
  /** Milliseconds after which the state is read again. */
  readonly pollMs: number;
  end(): void;
}

/**
 * The tasks of an executor: calls of tools with `execution: "task"`, which run in the background. Each is visible only
 * on behalf of the session and the caller that made it; a task without both is visible to every client that knows its
 * id.
 *
 * Every method rejects with `store_unavailable` when the store does not answer, and, except `list`, with `not_found`
 * when the task does not exist, has expired, or belongs to another owner.
 */
export class ExecutorTasks {
  readonly #engine: TaskServices;

  /**
   * Made by the executor.
   *
   * @internal
   */
  constructor(engine: TaskServices) {
    this.#engine = engine;
  }

  /**
   * Milliseconds that a tool can wait for a result within its own timeout.
   *
   * @internal
   */
  get maxWaitMs(): number {
    const { maxTimeoutMs } = this.#engine;
    return maxTimeoutMs === 0 ? Infinity : maxTimeoutMs * 0.9;
  }

  /**
   * Reads the state of a task. A task whose process ended while it ran has failed with `outcome_unknown`: it is not run
   * again.
   */
  async status(id: string, options: TaskOptions = {}): Promise<TaskInfo> {
    const record = await this.#find("status", id, options);
    return toTaskInfo(await this.#waiting(record));
  }

  /**
   * Waits for the result of a task, which is the same for every client and every read. While the task waits for a
   * person, the outcome is `interrupted`: pass that to `executor.resume`, then ask again. `undefined`: the task is
   * still working after `waitMs`.
   *
   * @throws ToolError `cancelled` (by rejecting) when `signal` fires; the task continues.
   */
  async result(id: string, options: TaskResultOptions = {}): Promise<ToolOutcome | undefined> {
    const { signal, waitMs = Infinity } = options;
    atLeastZero.check("executor.tasks.result: waitMs", waitMs);
    checkSignal("executor.tasks.result", signal);
    const { clock, tasks } = this.#engine;
    const end = clock.now() + waitMs;
    for (;;) {
      // Before the store is read: the task may end meanwhile.
      const watch = waitMs > 0 ? this.#watch(id) : undefined;
      try {
        const found = await this.#waiting(await this.#find("result", id, options));
        const { record, interruption } = found;
        if (hasEnded(record)) return toOutcome(record, tasks.findError(id));
        if (interruption !== undefined) return { status: "interrupted", ok: false, interruption };
        const leftMs = end - clock.now();
        if (!(leftMs > 0)) return undefined;
        await this.#pause(leftMs, signal, watch);
      } finally {
        watch?.end();
      }
    }
  }

  /**
   * Cancels a task, and returns its state. A task that has ended before stays as it is. If another process runs it, that
   * one is asked to cancel it, for which it has 10 seconds.
   *
   * @throws ToolError `unavailable` (by rejecting) when another process runs it and does not cancel it in time, or the
   * store cannot ask it to.
   */
  async cancel(id: string, options: TaskOptions = {}): Promise<TaskInfo> {
    const { tasks } = this.#engine;
    // The task may start to wait for a person, or resume, while it is being cancelled.
    for (let time = 0; time < maxPolls; time++) {
      const own = tasks.own(id);
      const seen = await this.#waiting(await this.#find("cancel", id, options));
      const { record } = seen;
      if (hasEnded(record)) return toTaskInfo(seen);
      if (own?.execution !== undefined) {
        own.execution.stop(new ToolError("cancelled", "The task was cancelled."));
        await own.over;
      } else if (record.status === "input_required") {
        // A task that is being resumed can be stopped only when it runs again.
        if (!(await this.#cancelWaiting(seen))) await this.#pause(claimedMs, undefined, undefined);
      } else if (own === undefined) return this.#cancelElsewhere(id, options);
    }
    throw notCancelled();
  }

  /** Asks the process that runs a task to cancel it, and waits until it has ended. */
  async #cancelElsewhere(id: string, options: TaskOptions): Promise<TaskInfo> {
    const { clock, tasks } = this.#engine;
    const { caller } = options;
    if (!tasks.canCancelElsewhere) throw notCancelled();
    await this.#asked(() => tasks.requestCancel(id, caller?.id ?? ""));
    const end = clock.now() + maxCancelMs;
    for (;;) {
      const watch = this.#watch(id);
      try {
        const seen = await this.#waiting(await this.#find("cancel", id, options));
        if (hasEnded(seen.record)) return toTaskInfo(seen);
        // It asks a person now, and does not run any more.
        if (seen.record.status === "input_required") return await this.cancel(id, options);
        const leftMs = end - clock.now();
        if (!(leftMs > 0)) throw notCancelled(true);
        await this.#pause(leftMs, undefined, watch);
      } finally {
        watch.end();
      }
    }
  }

  /** Begins to watch a task, before its state is read. */
  #watch(id: string): TaskWatch {
    const { tasks } = this.#engine;
    const own = tasks.own(id);
    if (own?.execution !== undefined) {
      return { changed: own.over, pollMs: Infinity, end: () => {} };
    }
    const watching = new AbortController();
    const changed = tasks.watch(id, watching.signal);
    return {
      // If the store cannot be watched now, its state is read again after a while.
      changed: changed?.catch(() => pause(pollMs, { clock: this.#engine.clock })),
      pollMs: changed === undefined ? pollMs : watchedPollMs,
      end: () => watching.abort(),
    };
  }

  /** Lists the tasks of one session and caller, oldest first, without their interruptions. */
  async list(options: TaskOptions = {}): Promise<readonly TaskInfo[]> {
    const owner = ownerBy("list", options);
    const records = await this.#asked(() => this.#engine.tasks.list(owner));
    return records.map((record) => toTaskInfo({ record }));
  }

  /**
   * Lists the tasks of all sessions and callers, newest first, for a host that decides itself who may see them.
   *
   * @param max the maximum number of tasks. Default: 1,000.
   * @returns `undefined`: the store can list only the tasks of one owner.
   */
  async latest(max = 1000): Promise<readonly OwnedTask[] | undefined> {
    const records = await this.#asked(() => this.#engine.tasks.latest(max));
    return records?.map((record) => {
      const isLost = record.lost === true && record.status === "working";
      const listed = isLost ? toLostTask(record) : record;
      const { interruptionId } = record;
      return {
        ...toTaskInfo({ record: listed }),
        ...(interruptionId === undefined ? {} : { interruptionId }),
        behalf: parseOwner(record.owner),
      };
    });
  }

  /**
   * Finds out on whose behalf a task was made, for a host that decides itself who may see it: the options of the other
   * methods. `undefined`: no executor has derived its owner.
   */
  async behalf(id: string): Promise<TaskOptions | undefined> {
    const isId = typeof id === "string" && taskId.test(id);
    const record = isId ? await this.#asked(() => this.#engine.tasks.find(id)) : undefined;
    if (record === undefined) throw notFound();
    return parseOwner(record.owner);
  }

  async #find(method: string, id: string, options: TaskOptions): Promise<FoundTask> {
    const owner = ownerBy(method, options);
    const { tasks } = this.#engine;
    const isId = typeof id === "string" && taskId.test(id);
    const record = isId ? await this.#asked(() => tasks.find(id)) : undefined;
    if (record?.owner === owner) return record;
    throw notFound();
  }

  /** Reads the interruption that a task waits for. If the process that resumed it has ended, the task is lost. */
  async #waiting(record: FoundTask): Promise<TaskView> {
    const { interruptionId } = record;
    if (record.status !== "input_required" || interruptionId === undefined) return { record };
    const { pendingCalls, clock } = this.#engine;
    let pending: PendingCallRecord | undefined;
    try {
      const asked = Promise.resolve(pendingCalls.get(interruptionId));
      pending = await withTimeout(asked, storeMs, { clock });
    } catch {
      return { record };
    }
    if (pending?.status === "unfinished") return { record: toLostTask(record) };
    if (pending?.status === "claimed") return { record, isClaimed: true };
    if (pending?.status !== "pending") return { record };
    return { record, interruption: pending.interruption };
  }

  /** Cancels a task that waits for a person. `false`: it is being resumed. */
  async #cancelWaiting({ record, interruption, isClaimed }: TaskView): Promise<boolean> {
    if (isClaimed === true) return false;
    // Claimed first: a task that is being resumed must not be reported as cancelled.
    if (interruption !== undefined && !(await this.#take(interruption))) return false;
    const { tasks, events } = this.#engine;
    const { id, runId, callId, tool } = record;
    const change = endedWith(record, "cancelled", "The task was cancelled.");
    if (await this.#asked(() => tasks.change(id, { status: "cancelled", ...change }))) {
      events.emit({ type: "task.cancelled", runId, callId, tool, taskId: id });
    }
    return true;
  }

  /** Withdraws an interruption, so that it cannot be answered. `false`: it has been answered. */
  #take(interruption: Interruption): Promise<boolean> {
    const { pendingCalls, clock } = this.#engine;
    const take = async (): Promise<boolean> => {
      const result = await pendingCalls.claim(interruption);
      if (result === "claimed") await pendingCalls.finish(interruption.id);
      return result === "claimed" || result === "expired" || result === "unknown";
    };
    return this.#asked(() => withTimeout(take(), storeMs, { clock }));
  }

  /** Waits until the task may have ended, the time is up, or the signal fires. */
  async #pause(
    leftMs: number,
    signal: AbortSignal | undefined,
    watch: TaskWatch | undefined,
  ): Promise<void> {
    const { clock } = this.#engine;
    const ms = Math.min(leftMs, watch?.pollMs ?? pollMs);
    await pause(ms, { clock, signal, wake: watch?.changed });
    if (signal?.aborted === true) {
      throw new ToolError(
        "cancelled",
        "The caller does not wait for the task any more; it continues.",
      );
    }
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (cause) {
      throw new ToolError(
        "store_unavailable",
        "The store of tasks does not answer. Try again later.",
        {
          cause,
        },
      );
    }
  }
}

interface TaskView {
  readonly record: FoundTask;
  readonly interruption?: Interruption;
  /** The interruption has been answered, and is being resumed. */
  readonly isClaimed?: true;
}

const taskId = /^task_[0-9a-f]{32}$/;

function notFound(): ToolError {
  return new ToolError(
    "not_found",
    "There is no such task here: its id is another one, or it has expired.",
  );
}

function notCancelled(isAsked = false): ToolError {
  return new ToolError(
    "unavailable",
    isAsked
      ? "The task runs in another process, which was asked to cancel it and has not done so yet. Read its status later."
      : "The task runs in another process, and can only be cancelled there.",
  );
}

const optionNames: readonly string[] = [
  "sessionId",
  "caller",
  "signal",
  "waitMs",
] satisfies readonly (keyof TaskResultOptions)[];

function ownerBy(method: string, options: TaskOptions): string {
  checkOptions(
    `executor.tasks.${method}`,
    options,
    method === "result" ? optionNames : optionNames.slice(0, 2),
  );
  const { sessionId, caller } = options;
  return toOwner({ sessionId, caller: caller === undefined ? undefined : copyCaller(caller) });
}

function toTaskInfo({ record, interruption }: TaskView): TaskInfo {
  const { id, runId, callId, tool, status, createdAt, updatedAt, expiresAt, error } = record;
  return {
    ...{ id, runId, callId, tool, status, createdAt, updatedAt, expiresAt },
    ...(interruption === undefined ? {} : { interruption }),
    ...(error === undefined ? {} : { error }),
  };
}
