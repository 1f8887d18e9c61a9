import { unavailable } from "../../approvals/pending-call-store.ts";
import type { RegisteredTool } from "../../contract/tool.ts";
import type { Awaitable } from "../../json/json.ts";
import { changeBy, changedBy } from "../../tasks/task-record.ts";
import type { TaskRecord } from "../../tasks/task-store.ts";
import { storeMs } from "../../tasks/tasks.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "../call/call-state.ts";
import { answerWithin } from "../../contract/call-info.ts";
import { leaveSlot } from "./acquire.ts";
import { truncateUtf8 } from "../../text/utf8.ts";
import { toToolError } from "../call/to-tool-error.ts";
import { text } from "../../contract/content-block.ts";
import type { CompletedOutcome, FailedOutcome, ToolResult } from "../../contract/tool-result.ts";

/**
 * Between stages 7 and 8: a call that is a task answers with the task's id and continues in the background. Within a
 * batch it becomes a task when the batch lets it start.
 *
 * @throws ToolError `store_unavailable` when the task cannot be stored, `limit_exceeded` when there are too many;
 * nothing has run then.
 */
export function detach(execution: CallState): Awaitable<void> {
  const { spec } = (execution.entry as RegisteredTool).tool;
  if (spec.execution !== "task" && execution.settings.asTask !== true) return;
  return becomeTask(execution);
}

async function becomeTask(execution: CallState): Promise<void> {
  const live = execution.guard();
  live(await execution.batch?.enter(execution));
  const before = execution.resumption?.task;
  const record = await (before === undefined ? begin(execution) : continueTask(execution, before));
  handOver(
    execution,
    live(record, () => {
      // The end of a resumed task is stored by `resumeCall`.
      if (before === undefined) void forget(execution, record);
    }),
  );
}

/** Stores a new task. */
async function begin(execution: CallState): Promise<TaskRecord> {
  const { engine, call } = execution;
  const record = engine.tasks.createRecord(execution);
  const adding = engine.tasks.add(record);
  try {
    await answerWithin(execution, storeMs, adding);
  } catch (cause) {
    // The store may still add the task, which must not stay open then.
    adding.then(
      () => forget(execution, record),
      () => {},
    );
    if (ToolError.is(cause) && cause.code === "limit_exceeded") throw cause;
    throw unavailable(
      `${call.name} was not run: it runs as a task, and the store of tasks does not answer. Call it again later.`,
      cause,
    );
  }
  return record;
}

async function forget(execution: CallState, { id }: TaskRecord): Promise<void> {
  const { tasks } = execution.engine;
  try {
    await tasks.change(id, changeBy(execution, stoppedOutcome(execution)));
  } catch {
    // The task expires by itself.
  }
}

/** Takes over a task that has waited for a person. */
async function continueTask(execution: CallState, before: TaskRecord): Promise<TaskRecord> {
  const { engine, call } = execution;
  let isTaken: boolean;
  try {
    isTaken = await engine.tasks.change(before.id, { status: "working" });
  } catch (cause) {
    throw unavailable(
      `${call.name} does not continue: the store of tasks does not answer. Check what it did before calling it again.`,
      cause,
    );
  }
  if (!isTaken) throw new ToolError("cancelled", `The task of ${call.name} has ended meanwhile.`);
  return changedBy(before, { status: "working", updatedAt: engine.wallClock.now() });
}

/** Returns the task's id to the caller. From here on only the task receives the outcome. */
function handOver(execution: CallState, record: TaskRecord): void {
  const { engine, settle, resumption } = execution;
  const handle = taskHandle(execution, record.id);
  execution.detachAs(record.id);
  leaveSlot(execution);
  execution.batch = undefined;
  execution.settle = engine.tasks.run(execution, record);
  // Before the event: what throws from here on ends the task, and the caller has its answer.
  settle(handle);
  const type = resumption?.task === undefined ? "task.created" : "task.working";
  engine.events.emitCall(execution, { type, taskId: record.id });
}

/** The result that a caller gets for a call that runs as a task. */
function taskHandle(execution: CallState, taskId: string): CompletedOutcome {
  const { name } = execution.call;
  const words = `${name} continues as task ${taskId}; its result is not here yet. Ask with task_result (wait_seconds: up to 60 waits for it) or task_status; task_cancel stops it. Do not call ${name} again for the same.`;
  const value = { taskId, status: "working" };
  const result = { ...textResult(execution, words, false), value, taskId };
  return { status: "completed", ok: true, result };
}

/** The outcome of a task that was stopped before it started or resumed. */
export function stoppedOutcome(execution: CallState): FailedOutcome {
  const error = toToolError(execution, new ToolError("cancelled", "The call was cancelled."));
  return { status: "failed", ok: false, result: textResult(execution, error.message, true), error };
}

function textResult({ call, engine }: CallState, words: string, isError: boolean): ToolResult {
  return {
    callId: call.id,
    toolName: call.name,
    content: [text(truncateUtf8(words, engine.maxOutputBytes))],
    artifacts: [],
    isError,
    durationMs: 0,
    timestamp: engine.wallClock.now(),
  };
}
