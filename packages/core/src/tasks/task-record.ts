import { text } from "../contract/content-block.ts";
import type { ToolOutcome } from "../contract/tool-result.ts";
import { ToolError, type ToolErrorCode } from "../contract/tool-error.ts";
import type { TaskChange, TaskRecord, TaskStatus, TaskStore } from "./task-store.ts";

/** A task as a store returns it. */
export type FoundTask = NonNullable<Awaited<ReturnType<TaskStore["get"]>>>;

const statuses: Readonly<Record<TaskStatus, true>> = {
  working: true,
  input_required: true,
  completed: true,
  failed: true,
  cancelled: true,
};

/** Applies a change to a task: an optional member that the change omits is removed. */
export function changedBy(
  { interruptionId: _id, ...task }: TaskRecord,
  change: Partial<TaskChange>,
): TaskRecord {
  return { ...task, ...change };
}

/** True when the task cannot change any more. */
export function hasEnded({ status }: TaskRecord): boolean {
  return status !== "working" && status !== "input_required";
}

/**
 * Validates the answer of a store: the requested task, or none.
 *
 * @throws TypeError for any other value.
 */
export function checkedRecord(id: string | undefined, answer: unknown): FoundTask | undefined {
  if (answer === undefined || answer === null) return undefined;
  const record = answer as FoundTask;
  const texts = [record.id, record.owner, record.runId, record.callId, record.tool];
  const isTask =
    texts.every((one) => typeof one === "string") &&
    (id === undefined || record.id === id) &&
    Object.hasOwn(statuses, record.status) &&
    (!hasEnded(record) || Array.isArray(record.result?.content));
  if (!isTask) throw new TypeError("The store of tasks answers nonsense.");
  return record.lost === true && record.status === "working" ? toLostTask(record) : record;
}

/** Converts a task whose process has ended: its effect is unknown, and it is not run again. */
export function toLostTask(record: FoundTask): FoundTask {
  const message = `${record.tool} was cut off: the process that ran it is gone, and nobody knows how far it came. Check what it did before anything is repeated.`;
  return { ...record, status: "failed", ...endedWith(record, "outcome_unknown", message) };
}

/** The error and the result of a task that did not end by itself. */
export function endedWith(
  { callId, tool, updatedAt }: TaskRecord,
  code: ToolErrorCode,
  message: string,
): Required<Pick<TaskRecord, "error" | "result">> {
  const content = [text(message)];
  const times = { durationMs: 0, timestamp: updatedAt };
  return {
    error: { code, message },
    result: { callId, toolName: tool, content, artifacts: [], isError: true, ...times },
  };
}

/**
 * The outcome of a task that has ended.
 *
 * @param known its original error, in the process that ran it.
 */
export function outcomeOf(
  { status, result, error }: TaskRecord,
  known: ToolError | undefined,
): ToolOutcome | undefined {
  if (result === undefined) return undefined;
  if (error === undefined && status === "completed") return { status, result };
  const { code, message } = error ?? { code: "execution_failed", message: "It failed." };
  const isIt = known?.code === code && known.message === message;
  const thrown = isIt ? known : new ToolError(code, message);
  return status === "completed"
    ? { status, result, error: thrown }
    : { status: "failed", result, error: thrown };
}
