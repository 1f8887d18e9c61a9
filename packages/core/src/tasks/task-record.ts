import { text } from "../contract/content-block.ts";
import type { ToolOutcome, ToolResult } from "../contract/tool-result.ts";
import { ToolError, errorCodes, type ToolErrorCode } from "../contract/tool-error.ts";
import type {
  ListedTask,
  StoredTask,
  TaskChange,
  TaskRecord,
  TaskStatus,
  TaskStore,
} from "./task-store.ts";
import { truncateUtf8 } from "../text/utf8.ts";
import { toJson } from "../json/to-json.ts";
import { cloneJson } from "../json/clone-json.ts";
import type { CallInfo } from "../contract/call-info.ts";

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
  { interruptionId: _id, cancelRequestedBy: _by, ...task }: StoredTask,
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
  const record: FoundTask = checkedListing(answer);
  const isTask =
    (id === undefined || record.id === id) &&
    (!hasEnded(record) || Array.isArray(record.result?.content));
  if (!isTask) throw new TypeError("The store of tasks answers nonsense.");
  return record.lost === true && record.status === "working" ? toLostTask(record) : record;
}

/**
 * Validates a task of a list, which may have no result.
 *
 * @throws TypeError for any other value.
 */
export function checkedListing(answer: unknown): ListedTask {
  const record = (answer ?? {}) as ListedTask;
  const texts = [record.id, record.owner, record.runId, record.callId, record.tool];
  const isTask =
    texts.every((one) => typeof one === "string") && Object.hasOwn(statuses, record.status);
  if (!isTask) throw new TypeError("The store of tasks answers nonsense.");
  return record;
}

/** Converts a task whose process has ended: its effect is unknown, and it is not run again. */
export function toLostTask(record: FoundTask): FoundTask {
  const message = `${record.tool} was cut off: the process that ran it is gone, and its progress is not known. Check what it did before anything is repeated.`;
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
export function toOutcome(
  { status, result, error }: TaskRecord,
  known: ToolError | undefined,
): ToolOutcome | undefined {
  if (result === undefined) return undefined;
  if (error === undefined && status === "completed") return { status, ok: true, result };
  const { code, message } = error ?? { code: "execution_failed", message: "It failed." };
  const isIt = known?.code === code && known.message === message;
  const thrown = isIt ? known : new ToolError(code, message);
  return status === "completed"
    ? { status, ok: false, result, error: thrown }
    : { status: "failed", ok: false, result, error: thrown };
}

/** Maximum bytes of an error's message. */
const maxMessageBytes = 4000;

/**
 * Converts the outcome of a call to a change of its task: plain data, with only the part of an error that a model may
 * see.
 */
export function changeBy(
  execution: CallInfo,
  outcome: ToolOutcome,
): Omit<TaskChange, "updatedAt" | "expiresAt"> {
  if (outcome.status === "interrupted") {
    return { status: "input_required", interruptionId: outcome.interruption.id };
  }
  const result = plainResult(execution, outcome.result);
  if (!result.isError) return { status: "completed", result };
  const error = read(outcome.error);
  if (outcome.status === "completed") return { status: "completed", result, error };
  return { status: error.code === "cancelled" ? "cancelled" : "failed", result, error };
}

/** A result from the host may not be JSON. */
function plainResult({ call }: CallInfo, result: ToolResult): ToolResult {
  try {
    return cloneJson(toJson(result)) as unknown as ToolResult;
  } catch {
    const { callId, toolName, durationMs, timestamp } = result;
    const content = [text(`${call.name} did run, but its result cannot be kept.`)];
    return { callId, toolName, content, artifacts: [], isError: true, durationMs, timestamp };
  }
}

/** Code and message, which contain no secret. A value that only looks like an error may throw when it is read. */
function read(error: unknown): NonNullable<TaskChange["error"]> {
  try {
    const { code, message } = error as { readonly code: ToolErrorCode; readonly message: string };
    if (Object.hasOwn(errorCodes, code))
      return { code, message: truncateUtf8(message, maxMessageBytes) };
  } catch {
    // The value cannot be read.
  }
  return { code: "execution_failed", message: "It failed: no reason could be read." };
}
