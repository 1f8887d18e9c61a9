import type { Awaitable } from "../json/json.ts";
import type { ToolResult } from "../contract/tool-result.ts";
import type { ToolErrorCode } from "../contract/tool-error.ts";

/**
 * Status of a task, in the terms of MCP. `input_required`: it waits for a person.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** A call that runs, or ran, in the background. Plain JSON. */
export interface TaskRecord {
  /** `task_` and 32 hexadecimal digits. */
  readonly id: string;
  /** The owner, which the executor derives from session and caller; compared as a whole. */
  readonly owner: string;
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly status: TaskStatus;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  /** Milliseconds since the epoch; removed afterwards. */
  readonly expiresAt: number;
  /** With `input_required`: the interruption to resume. */
  readonly interruptionId?: string;
  /** Once the task has ended: the result for the model, redacted and bounded. */
  readonly result?: ToolResult;
  /** With `failed` and `cancelled`, and with `completed` when the answer is an error. */
  readonly error?: { readonly code: ToolErrorCode; readonly message: string };
}

/** The changed members of a task. If `interruptionId`, `result` or `error` is absent, it is removed. */
export type TaskChange = Pick<
  TaskRecord,
  "status" | "updatedAt" | "expiresAt" | "interruptionId" | "result" | "error"
>;

/** A task as a store returns it. */
export type StoredTask = TaskRecord & {
  /** It is `working`, and the process that ran it has ended. */
  readonly lost?: true;
  /** It is `working`, and another process has asked to cancel it: on whose behalf, as `requestCancel` was given it. */
  readonly cancelRequestedBy?: string;
};

/** A task of a list: without its result, which may be long. */
export type ListedTask = Omit<StoredTask, "result">;

/** Stores tasks. A task that was running when its process ended is returned as `lost`. */
export interface TaskStore {
  /**
   * Stores a new task, which this process runs from now on.
   *
   * @throws ToolError `limit_exceeded` when there are too many, `internal` for an id that exists.
   */
  add(task: TaskRecord): Awaitable<void>;
  /**
   * Changes a task that has not ended. `working` takes it over for this process.
   *
   * @returns false when it has ended already, or does not exist: nothing has changed then.
   */
  change(id: string, change: TaskChange): Awaitable<boolean>;
  /**
   * The task; `lost`: it is `working`, and the process that ran it has ended. `undefined`: there is no task of that id,
   * or it has expired.
   */
  get(id: string): Awaitable<StoredTask | undefined>;
  /** The tasks of one owner, oldest first. */
  list(owner: string): Awaitable<readonly StoredTask[]>;
  /**
   * The tasks of all owners that were added last, newest first: at most `max`. Absent: only the tasks of one owner can
   * be listed.
   */
  listLatest?(max: number): Awaitable<readonly ListedTask[]>;
  /**
   * Resolves when the task has changed since the call, or may have changed: its status, its `lost` and its
   * `cancelRequestedBy`. Also resolves when `signal` is aborted. A store that is not notified by the others polls.
   * Absent: the executor polls, and a task cannot be cancelled by another process.
   */
  watch?(id: string, signal: AbortSignal): Promise<void>;
  /**
   * Asks the process that runs a task to cancel it. The executor of that process finds it with `watch` and `get`.
   *
   * @param by the id of the caller who cancels it; empty: none.
   * @returns false when the task is not `working`.
   */
  requestCancel?(id: string, by: string): Awaitable<boolean>;
}
