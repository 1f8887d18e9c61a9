import type { JsonValue, OwnedTask, TaskInfo, TaskOptions, ToolExecutor } from "@toolweave/core";
import { ToolError } from "@toolweave/core";
import type { ConsoleCaller } from "../authentication/console-caller.ts";
import { toOutcomeView, type OutcomeView } from "../calls/outcome-view.ts";
import { getPage } from "../http/paging.ts";
import { Problem } from "../http/problem.ts";
import { maySee, type ConsoleOwners } from "../authentication/visibility.ts";
import type { LiveRuns } from "../runs/live-runs.ts";

/** A task. */
export interface TaskRow {
  readonly id: string;
  readonly tool: string;
  readonly status: TaskInfo["status"];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  /** Milliseconds since the epoch; removed afterwards. */
  readonly expiresAt?: number;
  readonly runId?: string;
  readonly callId?: string;
  /** The caller that it was made for. Absent: there is none. */
  readonly caller?: string;
  /** With `input_required`: the approval that it waits for. */
  readonly approvalId?: string;
  /** The code of its error. */
  readonly code?: string;
  /** The message of its error. */
  readonly message?: string;
  /** The last progress, if it runs in this process and `runs.live` is set. */
  readonly progress?: JsonValue;
}

/** A task with its outcome, once it has ended. */
export interface TaskDetails extends TaskRow {
  readonly outcome?: OutcomeView;
}

/** A page of tasks, newest first. */
export interface TaskList {
  readonly items: readonly TaskRow[];
  /** The `cursor` of the next page. */
  readonly nextCursor?: string;
}

/** Maximum number of tasks that are listed. */
const maxListed = 1000;

/** The executor whose tasks are read, the rule for their owners, and their progress. */
export interface TaskSources {
  readonly executor: ToolExecutor;
  readonly owners: ConsoleOwners;
  readonly live: LiveRuns | undefined;
}

/** Lists the latest 1,000 tasks that the sender may see. */
export async function listTasks(
  sources: TaskSources,
  sender: ConsoleCaller,
  query: URLSearchParams,
): Promise<TaskList> {
  const { executor, owners } = sources;
  const { caller } = sender;
  const all =
    (await executor.tasks.latest(maxListed)) ??
    (await executor.tasks.list({ caller })).map((task) => ({ ...task, behalf: { caller } }));
  const visible = all.filter(({ behalf }) => maySee(sender, owners, behalf));
  const { rows, ...next } = getPage(
    query,
    visible,
    ({ createdAt, id }) => ({ time: createdAt, id }),
    "newest first",
  );
  return { items: executor.redact(rows.map((task) => toRow(sources, task))), ...next };
}

/** @throws Problem `not_found` */
export async function getTask(
  sources: TaskSources,
  sender: ConsoleCaller,
  id: string,
): Promise<TaskDetails> {
  const { executor } = sources;
  const behalf = await getBehalf(sources, sender, id);
  const task = await executor.tasks.status(id, behalf);
  const outcome =
    task.status === "working" || task.status === "input_required"
      ? undefined
      : await executor.tasks.result(id, { ...behalf, waitMs: 0 });
  return executor.redact({
    ...toRow(sources, { ...task, behalf }),
    ...(outcome === undefined ? {} : { outcome: await toOutcomeView(executor, outcome) }),
  });
}

/**
 * Cancels a task, and returns its state.
 *
 * @throws Problem `not_found`, and `task_not_cancelled` if the process that runs it does not respond.
 */
export async function cancelTask(
  sources: TaskSources,
  sender: ConsoleCaller,
  id: string,
): Promise<TaskRow> {
  const { executor } = sources;
  const behalf = await getBehalf(sources, sender, id);
  try {
    const task = await executor.tasks.cancel(id, behalf);
    return executor.redact(toRow(sources, { ...task, behalf }));
  } catch (error) {
    if (!ToolError.is(error) || error.code !== "unavailable") throw error;
    throw new Problem("task_not_cancelled", error.message);
  }
}

/** On whose behalf the task was made. */
async function getBehalf(
  { executor, owners }: TaskSources,
  sender: ConsoleCaller,
  id: string,
): Promise<TaskOptions> {
  const behalf = await executor.tasks.behalf(id).catch((error: unknown) => {
    if (ToolError.is(error) && error.code === "not_found") return undefined;
    throw error;
  });
  // The same for a task of another owner: the ids of others are not confirmed.
  if (behalf !== undefined && maySee(sender, owners, behalf)) return behalf;
  throw new Problem(
    "not_found",
    "There is no task with this id: it has expired, or the id is wrong.",
  );
}

function toRow(
  { live }: TaskSources,
  task: Omit<OwnedTask, "interruptionId"> &
    Pick<OwnedTask, "interruptionId"> &
    Pick<TaskInfo, "interruption">,
): TaskRow {
  const { id, tool, status, createdAt, updatedAt, expiresAt, runId, callId, error } = task;
  const approvalId = task.interruption?.id ?? task.interruptionId;
  const progress = status === "working" ? live?.getProgress(id) : undefined;
  const caller = task.behalf?.caller?.id;
  return {
    ...{ id, tool, status, createdAt, updatedAt, expiresAt, runId, callId },
    ...(caller === undefined ? {} : { caller }),
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(error === undefined ? {} : { code: error.code, message: error.message }),
    ...(progress === undefined ? {} : { progress: { ...progress } }),
  };
}
