import {
  answeredBy,
  toApproval,
  findAnswerProblem,
  editedArguments,
  rejectionAmong,
} from "../../approvals/answers.ts";
import { specHashOf, type RegisteredTool, type Toolset } from "../../contract/tool.ts";
import type { PendingCall } from "../../approvals/pending-call.ts";
import { unavailable } from "../../approvals/pending-call-store.ts";
import type { PolicyLayer } from "../../policy/decision.ts";
import { restoreMasked } from "../../redaction/displayed-call.ts";
import type { Answer, Interruption } from "../../contract/interruption.ts";
import type { JsonObject } from "../../json/json.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import { approvalInvalid, toToolError } from "../call/to-tool-error.ts";
import {
  type CallServices,
  type CallSettings,
  CallState,
  type Resumption,
} from "../call/call-state.ts";
import { markPendingCallFinished } from "./claim.ts";
import { finishedOutcome } from "../call/finished-outcome.ts";
import { abortWith } from "../call/outcome.ts";
import { executeWithin } from "../context/nested-calls.ts";
import { copyArguments } from "../stages/parse.ts";
import { removeInjected } from "../stages/remove-injected.ts";
import { validate } from "../stages/validate.ts";
import type { TaskRecord } from "../../tasks/task-store.ts";
import type { CallOptions } from "../../contract/call-options.ts";
import type { RunState } from "../call/run-state.ts";

/** A verified interruption with the state for resuming its call. */
export interface OpenedInterruption {
  readonly interruption: Interruption;
  readonly pending: PendingCall;
  readonly run: RunState;
  readonly policies: readonly PolicyLayer[];
  readonly toolset: Toolset;
  /** Set for a call that the running tool `parent` has made and now resumes. */
  readonly parent: CallState | undefined;
  /** Values that `parent` sets for it. */
  readonly inherit?: CallSettings["inherit"];
}

/** Resumes a verified call, once the answers are valid for it. */
export async function resumeCall(
  engine: CallServices,
  opened: OpenedInterruption,
  answers: readonly Answer[],
  signal?: AbortSignal,
  onUpdate?: CallOptions["onUpdate"],
): Promise<ToolOutcome> {
  const { interruption, pending, run, toolset, policies, parent } = opened;
  const suspended = pending.suspended !== undefined;
  const problem = await findAnswerProblem(interruption, answers, suspended, engine.schemas);
  if (problem !== undefined) throw approvalInvalid(problem);
  const { taskId } = pending;
  const task = taskId === undefined ? undefined : await findTask(engine, taskId);
  if (taskId !== undefined && !waitsFor(task, interruption)) {
    const before =
      parent === undefined ? await finishedOutcome(engine, interruption, answers) : undefined;
    if (before !== undefined) return before;
    const how = task === undefined ? "is not there any more" : `is ${task.status}`;
    throw approvalInvalid(
      `The task that this answers for ${how}, and does not wait for an answer.`,
    );
  }
  const execution = new CallState(
    engine,
    run,
    interruption.call,
    toolset,
    policies,
    settingsFor(opened, onUpdate),
    parent,
    {
      ...(await createResumption(engine, opened, answers)),
      ...(task === undefined ? {} : { task }),
    },
  );
  execution.detached = task !== undefined;
  execution.checkpoint = pending.checkpoint;
  if (pending.earlierWithId !== undefined) execution.earlierWithId = pending.earlierWithId;
  const stopped = execution.runStopped ?? engine.drain.cancellation;
  if (stopped !== undefined) execution.stop(stopped);
  const outcome = await abortWith(signal, execution, executeWithin);
  // A claimed call can never be answered again: its task must be working, or be ended here.
  const isClaimed = execution.resumption?.isClaimed === true;
  if (task !== undefined && isClaimed && execution.taskId === undefined) {
    await engine.tasks.endEarly(execution, task, outcome);
  }
  if (isClaimed) await markPendingCallFinished(execution, outcome);
  return outcome;
}

function settingsFor(
  { pending, inherit }: OpenedInterruption,
  onUpdate: CallOptions["onUpdate"],
): CallSettings {
  return {
    inherit,
    ...(onUpdate === undefined ? {} : { onUpdate }),
    ...(pending.asTask === true ? { asTask: true } : {}),
  };
}

/**
 * Finds the task of an interrupted call.
 *
 * @throws ToolError `store_unavailable`
 */
async function findTask({ tasks }: CallServices, taskId: string): Promise<TaskRecord | undefined> {
  try {
    // The task may be about to be stored as waiting.
    const own = tasks.own(taskId);
    if (own?.isEnding === true) await own.over;
    return await tasks.find(taskId);
  } catch (cause) {
    throw unavailable(
      "The task does not continue: the store of tasks does not answer. Resume it again later.",
      cause,
    );
  }
}

function waitsFor(task: TaskRecord | undefined, { id }: Interruption): boolean {
  return task?.status === "input_required" && task.interruptionId === id;
}

async function createResumption(
  engine: CallServices,
  opened: OpenedInterruption,
  answers: readonly Answer[],
): Promise<Resumption> {
  const { interruption, pending, run, toolset, parent } = opened;
  const { suspended, earlier, argumentsHash } = pending;
  const by = answeredBy(answers);
  const live = engine.liveCalls.get(interruption.id);
  const counted = live?.run === run ? live.counted : undefined;
  const { name } = interruption.call;
  const entry = parent?.findLocal(name) ?? toolset.callable(name);
  const common = {
    interruption,
    argumentsHash,
    attempt: pending.attempt + 1,
    ...(by === undefined ? {} : { by }),
    ...(pending.durable === undefined ? {} : { durable: pending.durable }),
    changed: entry !== undefined && !(await isUnchanged(entry, interruption)),
    ...(counted === undefined ? {} : { counted }),
    passedOn: new Map<string, string>(),
    isClaimed: false,
    ...(parent === undefined ? { answers } : {}),
  };
  if (suspended !== undefined) {
    // A tool that asked by itself decides what the answers mean, including a rejection.
    const { requests } = pending.unmasked ?? interruption;
    return {
      ...common,
      arguments: pending.admitted,
      suspended: { state: suspended.state, requests, answers },
      ...(pending.approval === undefined ? {} : { approval: pending.approval }),
    };
  }
  const rejected = rejectionAmong(answers);
  const edited = rejected === undefined ? editedArguments(answers) : undefined;
  const args =
    edited === undefined || entry === undefined
      ? undefined
      : await checkedEdit(engine, opened, entry, edited);
  const approved = args === undefined ? argumentsHash : await engine.argumentsHash.of(args);
  return {
    ...common,
    arguments: args ?? pending.admitted,
    approval: toApproval(pending.unmasked ?? interruption, answers, approved),
    ...(rejected === undefined ? {} : { rejected }),
    ...(earlier === undefined ? {} : { suspended: earlier }),
  };
}

/** The arguments that a person has edited, validated like a model's before the call is claimed. */
async function checkedEdit(
  engine: CallServices,
  { interruption, pending, run, policies, toolset }: OpenedInterruption,
  entry: RegisteredTool,
  edited: JsonObject,
): Promise<JsonObject> {
  const { call } = interruption;
  const scratch = new CallState(engine, run, call, toolset, policies);
  scratch.entry = entry;
  try {
    const hidden = pending.unmasked?.arguments;
    const displayed = call.arguments as JsonObject;
    const meant = hidden === undefined ? edited : restoreMasked(edited, displayed, hidden);
    scratch.args = copyArguments(call.name, meant, scratch);
    removeInjected(scratch);
    await validate(scratch);
    return scratch.args;
  } catch (error) {
    throw approvalInvalid(
      `The changed arguments cannot be used. ${toToolError(scratch, error).message}`,
    );
  }
}

/** A spec that can no longer be read is not the one that was approved. */
async function isUnchanged({ tool }: RegisteredTool, { specHash }: Interruption): Promise<boolean> {
  try {
    return (await specHashOf(tool)) === specHash;
  } catch {
    return false;
  }
}
