import type { Awaitable } from "../json/json.ts";
import type { ToolResult } from "../contract/tool-result.ts";
import type { ToolErrorCode } from "../contract/tool-error.ts";

/**
 * How a task stands, in MCP's words. `input_required`: it waits for a person.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** A call that runs, or ran, without anybody waiting for it. Plain JSON. */
export interface TaskRecord {
  /** `task_` and 32 hexadecimal digits. */
  readonly id: string;
  /** Whose it is: made by the executor of session and caller, and compared as a whole. */
  readonly owner: string;
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly status: TaskStatus;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  /** Milliseconds since the epoch; gone afterwards. */
  readonly expiresAt: number;
  /** With `input_required`: what has to be resumed. */
  readonly interruptionId?: string;
  /** Once it has ended: what the model may see, redacted and bounded. */
  readonly result?: ToolResult;
  /** With `failed` and `cancelled`, and with `completed` when the answer is an error. */
  readonly error?: { readonly code: ToolErrorCode; readonly message: string };
}

/** What changes in a task. Of `interruptionId`, `result` and `error`, what is absent is there no more. */
export type TaskChange = Pick<
  TaskRecord,
  "status" | "updatedAt" | "expiresAt" | "interruptionId" | "result" | "error"
>;

/** Keeps tasks. Those that were running when their process went are told as `lost`. */
export interface TaskStore {
  /**
   * Keeps a new task, which this process runs from now on.
   *
   * @throws ToolError `limit_exceeded` when there are too many, `internal` for an id that is taken.
   */
  add(task: TaskRecord): Awaitable<void>;
  /**
   * Changes a task that has not ended. `working` takes it over as this process's.
   *
   * @returns false when it has ended already, or is not there: nothing has changed then.
   */
  change(id: string, change: TaskChange): Awaitable<boolean>;
  /**
   * The task; `lost`: it is `working`, and the process that ran it is gone. `undefined`: there is
   * none of that id, or it has expired.
   */
  get(id: string): Awaitable<(TaskRecord & { readonly lost?: true }) | undefined>;
  /** Those of one owner, oldest first. */
  list(owner: string): Awaitable<readonly (TaskRecord & { readonly lost?: true })[]>;
}
