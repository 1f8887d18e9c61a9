import type { PendingCall } from "../../approvals/pending-call.ts";
import type { Answer, Interruption } from "../../contract/interruption.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import type { ToolError } from "../../contract/tool-error.ts";
import { approvalInvalid } from "../call/to-tool-error.ts";
import type { CallServices, CallState } from "../call/call-state.ts";
import { resumeCall, type OpenedInterruption } from "./resume-call.ts";
import { refuse } from "../call/outcome.ts";
import type { CallOptions } from "../../contract/call-options.ts";
import type { DurableRun } from "../call/durable-run.ts";
import type { Caller } from "../../contract/caller.ts";
import type { RunState } from "../call/run-state.ts";
import { readInterruption } from "../call/read-call.ts";
import { narrowPolicy } from "../../policy/compile-policy.ts";
import type { PolicyLayer } from "../../policy/decision.ts";
import type { Toolset, NestedResumeOptions } from "../../contract/tool.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import { toJson } from "../../json/to-json.ts";
import { cloneJson } from "../../json/clone-json.ts";
import { answerTo } from "../../approvals/answers.ts";
import { toolsetBelow } from "../context/nested-calls.ts";

/** Options for resuming a call. */
export interface ResumeWith {
  readonly signal?: AbortSignal | undefined;
  readonly run?: RunState;
  readonly injected?: unknown;
  readonly onUpdate?: CallOptions["onUpdate"];
  /** Why the executor accepted no call when this one was to be resumed. */
  readonly refusal: ToolError | undefined;
  /** Creates a run like the one that has ended. */
  readonly newRun: (
    options: {
      readonly id: string;
      readonly caller?: Caller;
      readonly sessionId?: string;
      readonly injected?: unknown;
      readonly durable?: DurableRun;
    },
    turn?: number,
  ) => RunState;
}

/**
 * Resumes a pending call: at most once, and only as it was approved. Never rejects.
 *
 * @param interruption read once, with `readInterruption`.
 */
export async function resume(
  engine: CallServices,
  interruption: Interruption,
  answers: readonly Answer[],
  options: ResumeWith,
): Promise<ToolOutcome> {
  try {
    // Before the claim: the call stays pending for another process.
    if (options.refusal !== undefined) throw options.refusal;
    const checked = readAnswers(answers);
    const opened = await open(engine, interruption, options);
    return await resumeCall(engine, opened, checked, options.signal, options.onUpdate);
  } catch (error) {
    return refuse(engine, interruption, error, options.run);
  }
}

/** The part of a sealed state that a person may see who decides about the call. */
export interface InterruptionOrigin {
  /** The caller that the call was made for. */
  readonly caller?: Caller;
  readonly sessionId?: string;
}

/** Opens an interruption without resuming it; `undefined`: it was changed, or sealed with another key. */
export async function getInterruptionOrigin(
  engine: CallServices,
  given: Interruption,
): Promise<InterruptionOrigin | undefined> {
  const pending = await engine.seal.open(readInterruption(given));
  if (pending === undefined) return undefined;
  const { caller, sessionId } = pending;
  return {
    ...(caller === undefined ? {} : { caller }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

async function open(
  engine: CallServices,
  interruption: Interruption,
  options: ResumeWith,
): Promise<OpenedInterruption> {
  const pending = await openInterruption(engine, interruption);
  const { name } = interruption.call;
  const run = options.run ?? findRun(engine, interruption, pending, options);
  if (run.executor !== engine.executor) {
    throw approvalInvalid(`The run that ${name} is to be resumed in belongs to another executor.`);
  }
  checkBehalf(run, pending, name);
  const policies = [...engine.policies, ...narrowerPolicies(engine, interruption, pending)];
  const toolset = callable(options.run?.toolset ?? run.toolsetFor(name), pending);
  return { interruption, pending, run, policies, toolset, parent: undefined };
}

/** The run that the call was made in. If it has ended or belongs to another process: a run like it. */
function findRun(
  engine: CallServices,
  { id, runId }: Interruption,
  { caller, sessionId, turn, taskId, durable }: PendingCall,
  { injected, newRun }: ResumeWith,
): RunState {
  const live = engine.liveCalls.get(id)?.run;
  if (live !== undefined && (!live.ended || taskId !== undefined)) return live;
  const options = {
    id: runId,
    ...(caller === undefined ? {} : { caller }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(injected === undefined ? {} : { injected }),
    ...(durable === undefined ? {} : { durable }),
  };
  return newRun(options, turn);
}

/**
 * Reads the answers once.
 *
 * @throws ToolError `approval_invalid` when they are not a list of answers.
 */
function readAnswers(answers: readonly Answer[]): readonly Answer[] {
  const given: unknown = Array.isArray(answers) ? cloneJson(toJson(answers)) : undefined;
  if (Array.isArray(given) && given.every((one) => typeof one === "object" && one !== null)) {
    return given as readonly Answer[];
  }
  throw approvalInvalid(`The answers are no list of answers: pass [{ type: "approve" }], for one.`);
}

/**
 * Opens the state that an interruption was sealed with.
 *
 * @throws ToolError `approval_invalid` when it was changed, or sealed with another key.
 */
async function openInterruption(
  engine: CallServices,
  interruption: Interruption,
): Promise<PendingCall> {
  const pending = await engine.seal.open(interruption);
  if (pending !== undefined) return pending;
  const { name } = interruption.call;
  if (name === "") {
    throw approvalInvalid("This is no interruption: pass outcome.interruption, unchanged.");
  }
  throw approvalInvalid(
    engine.seal.shared
      ? `This interruption of ${name} cannot be opened: it was changed, or belongs to an executor with another key.`
      : `This interruption of ${name} cannot be opened: it was changed, or belongs to another process. To resume calls of other processes, set the same \`key\` and the same \`pendingCalls\` on every executor.`,
  );
}

/** @throws ToolError `approval_invalid` when `run` belongs to another caller or session than the call. */
function checkBehalf(run: RunState, pending: PendingCall, name: string): void {
  if (behalf(run) === behalf(pending)) return;
  throw approvalInvalid(`The interruption of ${name} belongs to another caller or session.`);
}

function behalf({ caller, sessionId }: RunState | PendingCall): string {
  return canonicalJson([caller, sessionId]);
}

/**
 * The policies that narrowed the executor's own for a call.
 *
 * @throws ToolError `approval_invalid` when one of them is a function of another process.
 */
function narrowerPolicies(
  engine: CallServices,
  { id, call }: Interruption,
  { policies, onlyHere }: PendingCall,
): readonly PolicyLayer[] {
  const live = engine.liveCalls.get(id);
  if (live !== undefined) return live.narrower;
  if (onlyHere === true) {
    throw approvalInvalid(
      `${call.name} was narrowed by a policy that is a function, which only the process that made the call has; make the call again.`,
    );
  }
  if (policies === undefined) return [];
  // Compiled below the executor's own policies: the outermost layer would get a default of its own.
  return narrowPolicy(engine.policies, policies).slice(engine.policies.length);
}

/** The part of the toolset that was advertised when the call was made: waiting must not make more tools callable. */
function callable(now: Toolset, { tools }: PendingCall): Toolset {
  if (tools === undefined) return now;
  const then = new Set(tools);
  return now.filter(({ tool }) => then.has(tool.spec.name));
}

/**
 * Resumes a call that `parent`'s tool has made, and for which a person was asked through the tool's own suspension. The
 * answers are the person's: the tool cannot change them. Never rejects.
 */
export async function resumeNested(
  parent: CallState,
  given: Interruption,
  { inherit, signal }: NestedResumeOptions = {},
): Promise<ToolOutcome> {
  const { engine, run } = parent;
  const interruption = readInterruption(given);
  try {
    const pending = await openInterruption(engine, interruption);
    checkBehalf(run, pending, interruption.call.name);
    const answers = readAnswers(passedOn(parent, interruption));
    const policies = [...parent.policies, ...narrowerPolicies(engine, interruption, pending)];
    const toolset = callable(toolsetBelow(parent), pending);
    const opened = { interruption, pending, run, policies, toolset, parent, inherit };
    return await resumeCall(engine, opened, answers, signal);
  } catch (error) {
    return refuse(engine, interruption, error, run, parent);
  }
}

/** The person's answers to the requests of a nested call, each used for one call only. */
function passedOn(
  { resumption, call }: CallState,
  { id, requests, call: nested, parentCallId }: Interruption,
): readonly Answer[] {
  const resumed = resumption?.suspended;
  if (resumption === undefined || resumed === undefined || parentCallId !== call.id) {
    throw approvalInvalid(
      `${nested.name} cannot be resumed by a tool that did not call it and then wait for a person's answer.`,
    );
  }
  return requests.map((request) => {
    const requestJson = canonicalJson(request);
    const same = resumed.requests.find((other) => canonicalJson(other) === requestJson);
    const answer = same && answerTo(same, resumed.answers);
    if (answer === undefined || (resumption.passedOn.get(request.id) ?? id) !== id) {
      throw approvalInvalid(
        `What ${nested.name} asks was not shown to a person, or was answered for another call: pass on its requests as they are.`,
      );
    }
    resumption.passedOn.set(request.id, id);
    return { ...answer, requestId: request.id };
  });
}
