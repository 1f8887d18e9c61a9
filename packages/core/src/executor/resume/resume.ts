import type { PendingCall } from "../../approvals/pending-call.ts";
import type { Answer, Interruption } from "../../contract/interruption.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import { approvalInvalid } from "../call/to-tool-error.ts";
import type { CallServices } from "../call/call-state.ts";
import { resumeCall, type OpenedInterruption } from "./resume-call.ts";
import { refuse } from "../call/outcome.ts";
import type { CallOptions } from "../../contract/call-options.ts";
import type { Caller } from "../../contract/caller.ts";
import type { RunState } from "../call/run-state.ts";
import {
  readAnswers,
  callable,
  checkBehalf,
  narrowerPolicies,
  openInterruption,
} from "./open-interruption.ts";
import { readInterruption } from "../call/read-call.ts";

/** Options for resuming a call. */
export interface ResumeWith {
  readonly signal?: AbortSignal | undefined;
  readonly run?: RunState;
  readonly injected?: unknown;
  readonly onUpdate?: CallOptions["onUpdate"];
  /** Creates a run like the one that has ended. */
  readonly newRun: (
    options: {
      readonly id: string;
      readonly caller?: Caller;
      readonly sessionId?: string;
      readonly injected?: unknown;
    },
    turn?: number,
  ) => RunState;
}

/** Resumes a pending call: at most once, and only as it was approved. Never rejects. */
export async function resume(
  engine: CallServices,
  given: Interruption,
  answers: readonly Answer[],
  options: ResumeWith,
): Promise<ToolOutcome> {
  const interruption = readInterruption(given);
  try {
    // Before the claim: the call stays pending for another process.
    if (engine.drain.refusal !== undefined) throw engine.drain.refusal;
    const checked = readAnswers(answers);
    const opened = await open(engine, interruption, options);
    return await resumeCall(engine, opened, checked, options.signal, options.onUpdate);
  } catch (error) {
    return refuse(engine, interruption, error, options.run);
  }
}

async function open(
  engine: CallServices,
  interruption: Interruption,
  options: ResumeWith,
): Promise<OpenedInterruption> {
  const pending = await openInterruption(engine, interruption);
  const { name } = interruption.call;
  const run = options.run ?? runOf(engine, interruption, pending, options);
  if (run.executor !== engine.executor) {
    throw approvalInvalid(`The run that ${name} is to be resumed in belongs to another executor.`);
  }
  checkBehalf(run, pending, name);
  const policies = [...engine.policies, ...narrowerPolicies(engine, interruption, pending)];
  const toolset = callable(options.run?.toolset ?? run.toolsetFor(name), pending);
  return { interruption, pending, run, policies, toolset, parent: undefined };
}

/** The run that the call was made in. If it has ended or belongs to another process: a run like it. */
function runOf(
  engine: CallServices,
  { id, runId }: Interruption,
  { caller, sessionId, turn, taskId }: PendingCall,
  { injected, newRun }: ResumeWith,
): RunState {
  const live = engine.liveCalls.get(id)?.run;
  if (live !== undefined && (!live.ended || taskId !== undefined)) return live;
  const options = {
    id: runId,
    ...(caller === undefined ? {} : { caller }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(injected === undefined ? {} : { injected }),
  };
  return newRun(options, turn);
}
