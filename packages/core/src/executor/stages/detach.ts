import { unavailable } from "../../approvals/store-time.ts";
import type { RegisteredTool } from "../../contract/tool.ts";
import type { Awaitable } from "../../json/json.ts";
import { taskHandle, stoppedOutcome } from "./task-outcomes.ts";
import { changeBy } from "../../tasks/task-change.ts";
import { changedBy } from "../../tasks/task-record.ts";
import type { TaskRecord } from "../../tasks/task-store.ts";
import { storeMs } from "../../tasks/tasks.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "../call/call-state.ts";
import { answerWithin } from "../../contract/answer-within.ts";
import { leaveSlot } from "./acquire.ts";

/**
 * Between stages 7 and 8: a call that is a task answers with its id, and goes on by itself. What a
 * batch lets start one by one is what it makes tasks of, too.
 *
 * @throws ToolError `store_unavailable` when the task cannot be kept, `limit_exceeded` when there
 * are too many; nothing has run then.
 */
export function detach(execution: CallState): Awaitable<void> {
  const { spec } = (execution.entry as RegisteredTool).tool;
  if (spec.execution !== "task" && !execution.asTask) return;
  return becomeTask(execution);
}

async function becomeTask(execution: CallState): Promise<void> {
  await execution.batch?.enter(execution);
  // Stopped meanwhile, here and below: the call has its outcome already.
  if (execution.leaving) return;
  const before = execution.resumption?.task;
  const record = await (before === undefined ? begin(execution) : continueTask(execution, before));
  if (!execution.leaving) return handOver(execution, record);
  // Of one that goes on, whoever resumes it has the end written down.
  if (before === undefined) await forget(execution, record);
}

/** Keeps a new task. */
async function begin(execution: CallState): Promise<TaskRecord> {
  const { engine, call } = execution;
  const record = engine.tasks.recordOf(execution);
  const adding = engine.tasks.add(record);
  try {
    await answerWithin(execution, storeMs, adding);
  } catch (cause) {
    // It may be kept all the same, and nobody is ever to wait for it.
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
    // It expires by itself.
  }
}

/** Takes a task that has waited for a person as this process's. */
async function continueTask(execution: CallState, before: TaskRecord): Promise<TaskRecord> {
  const { engine, call } = execution;
  let isTaken: boolean;
  try {
    isTaken = await engine.tasks.change(before.id, { status: "working" });
  } catch (cause) {
    throw unavailable(
      `${call.name} does not go on: the store of tasks does not answer. Check what it did before calling it again.`,
      cause,
    );
  }
  if (!isTaken) throw new ToolError("cancelled", `The task of ${call.name} has ended meanwhile.`);
  return changedBy(before, { status: "working", updatedAt: engine.wallClock.now() });
}

/** Whoever made the call gets the task's id; from here on the task alone hears of what comes of it. */
function handOver(execution: CallState, record: TaskRecord): void {
  const { engine, settle, resumption } = execution;
  const ended = engine.tasks.run(execution, record);
  execution.detachAs(record.id);
  leaveSlot(execution);
  execution.batch = undefined;
  execution.settle = ended;
  const type = resumption?.task === undefined ? "task.created" : "task.working";
  engine.events.emitCall(execution, { type, taskId: record.id });
  settle(taskHandle(execution, record.id));
}
