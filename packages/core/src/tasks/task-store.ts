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
  get(id: string): Awaitable<(TaskRecord & { readonly lost?: true }) | undefined>;
  /** The tasks of one owner, oldest first. */
  list(owner: string): Awaitable<readonly (TaskRecord & { readonly lost?: true })[]>;
}
