import { isThenable, promised } from "../json/json.ts";
import type { ToolOutcome } from "../contract/tool-result.ts";
import { ToolError } from "../contract/tool-error.ts";
import { collectStream, cancelStream } from "./stages/collect-stream.ts";
import { isStreamed } from "../results/stream-source.ts";
import type { CallServices, Stage, CallState } from "./call/call-state.ts";
import { toToolError } from "./call/to-tool-error.ts";
import { FinishedBefore } from "./call/finished-outcome.ts";
import { emitAuthorized } from "./call/record-decision.ts";
import { suspendCall, notStoredError } from "./resume/suspend-call.ts";
import { InterruptSignal } from "./call/interrupt-signal.ts";
import { completion, failure } from "./call/outcome.ts";
import { acquireSlot, leaveSlot, reacquireSlot } from "./stages/acquire.ts";
import { afterHooks } from "./stages/after-hooks.ts";
import { authorize } from "./stages/authorize.ts";
import { beforeHooks } from "./stages/before-hooks.ts";
import { bound } from "./stages/bound.ts";
import { claim } from "./resume/claim.ts";
import {
  commitLimits,
  reserveLimits,
  reserveRetry,
  releaseLimits,
} from "./stages/reserve-limits.ts";
import { detach } from "./stages/detach.ts";
import { skipDuplicates } from "./stages/skip-duplicates.ts";
import { frame } from "./stages/frame.ts";
import { withRepair } from "./stages/repair-arguments.ts";
import { normalise } from "./stages/normalise.ts";
import { parse } from "./stages/parse.ts";
import { resolve } from "./stages/resolve.ts";
import { redact } from "./stages/redact.ts";
import { retryIfTransient, mayRetry, awaitBackoff } from "./stages/retry.ts";
import { run } from "./stages/run.ts";
import { removeInjected } from "./stages/remove-injected.ts";
import { validate } from "./stages/validate.ts";

const parseWithRepair = withRepair(parse);
const validateWithRepair = withRepair(validate);
const withoutRepair: ReadonlyMap<Stage, Stage> = new Map([
  [parseWithRepair, parse],
  [validateWithRepair, validate],
]);

/** Decides whether the call may start. */
const admission: readonly Stage[] = [
  resolve, //             1  name → tool in the advertised toolset
  parseWithRepair, //     2  JSON text → a value of the call's own
  removeInjected, //      3  removes values that only the host may supply
  validateWithRepair, //  4  the full schema, then the tool's own check
  skipDuplicates, //         of equal calls in a batch, only the first continues
  reserveLimits, //       5  reserve, or refuse at once
  beforeHooks, //         6  pass, modify (back to 3), block
  authorize, //           7  the final arguments → deny, ask, allow
];

/** Makes one attempt, and processes its answer. */
const attempt: readonly Stage[] = [
  run, //                 8  the tool's own work, under its timeout
  normalise, //           9  the returned value → an output that matches its schema
  retryIfTransient, //       a retryable error → another attempt
  afterHooks, //          10 amend
  redact, //                 removes secrets
  bound, //                  limits the content for the model; the rest is stored
  frame, //                  marks content from outside as data
];

/** Runs a call that may start. */
const work: readonly Stage[] = [
  detach, //                 a task continues in the background
  acquireSlot, //         8  a slot to run in
  commitLimits, //           commits the reservations
  ...attempt,
];

/** Makes another attempt, after one that failed. */
const nextAttempt: readonly Stage[] = [
  awaitBackoff, //           without a slot
  reserveRetry, //           reserves its rates
  reacquireSlot, //          a slot again
  ...attempt,
];

const pipeline: readonly Stage[] = [...admission, ...work];

/**
 * The pipeline of most calls: a single call, in a run with or without limits. Stages that the configuration does not
 * need are omitted, since even a stage without effect costs a hundredth of the call.
 */
export function pipelineFor(engine: PipelineSettings, hasLimits: boolean): readonly Stage[] {
  const { hooks, slots, rates, redactor, normaliseArguments, repair, onInvalidCall } = engine;
  const idle = new Set<Stage>([skipDuplicates]);
  if (hooks.beforeCall.length === 0) idle.add(beforeHooks);
  if (hooks.afterCall.length === 0) idle.add(afterHooks);
  if (redactor === undefined) idle.add(redact);
  if (!engine.frameOutputs) idle.add(frame);
  if (slots === undefined) idle.add(acquireSlot);
  if (rates === undefined && !hasLimits) idle.add(reserveLimits).add(commitLimits);
  const repairs = normaliseArguments || repair !== undefined || onInvalidCall === "fail";
  return pipeline
    .filter((stage) => !idle.has(stage))
    .map((stage) => (repairs ? stage : (withoutRepair.get(stage) ?? stage)));
}

type PipelineSettings = Pick<
  CallServices,
  | "hooks"
  | "slots"
  | "rates"
  | "redactor"
  | "frameOutputs"
  | "normaliseArguments"
  | "repair"
  | "onInvalidCall"
>;

/** A resumed call starts again from stage 1, once it is claimed: no other process can resume it then. */
const resumed: readonly Stage[] = [claim, ...pipeline];

/** A call that `admit` let through has released its reservations, so it reserves them again. */
const afterAdmission: readonly Stage[] = [reserveLimits, ...work];

/** Runs a call through the pipeline. Never rejects: every exit of a stage is an outcome. */
export function execute(execution: CallState): Promise<ToolOutcome> {
  if (execution.resumption === undefined) execution.engine.events.requested(execution);
  return new Promise((settle) => {
    execution.settle = settle;
    runStages(stagesOf(execution), execution, 0);
  });
}

function stagesOf({ engine, run, batch, resumption }: CallState): readonly Stage[] {
  if (resumption !== undefined) return resumed;
  if (batch !== undefined) return pipeline;
  return run.limits === undefined ? engine.pipeline : engine.limitedPipeline;
}

/** Runs a call through admission only. `undefined`: it would run now. */
export function admit(execution: CallState): Promise<ToolOutcome | undefined> {
  execution.onlyAdmitted = true;
  return new Promise((settle) => {
    execution.settle = settle as CallState["settle"];
    runStages(admission, execution, 0);
  });
}

/** Continues a call that `admit` has let through. */
export function start(execution: CallState): Promise<ToolOutcome> {
  execution.engine.events.requested(execution);
  emitAuthorized(execution);
  return new Promise((settle) => {
    execution.settle = settle;
    runStages(afterAdmission, execution, 0);
  });
}

/** Runs the stages in order; awaits a stage only when it returns a promise. */
function runStages(stages: readonly Stage[], execution: CallState, from: number): void {
  try {
    for (let index = from; index < stages.length; index++) {
      if (execution.stopped !== undefined) throw execution.stopped;
      const pending = (stages[index] as Stage)(execution);
      if (isThenable(pending)) return wait(stages, execution, index, pending);
    }
    execution.settle(execution.onlyAdmitted ? admitted(execution) : completion(execution)); // 11
    cleanUp(execution);
  } catch (thrown) {
    failCall(execution, thrown);
  }
}

/** Waits for an asynchronous stage. A stop does not wait for it. */
function wait(
  stages: readonly Stage[],
  execution: CallState,
  index: number,
  pending: PromiseLike<unknown>,
): void {
  const ticket = (execution.waits += 1);
  execution.waitingFor = ticket;
  execution.engine.activeCalls.add(execution);
  awaitStage(stages, execution, index, pending instanceof Promise ? pending : promised(pending));
  // A stop before this point found no wait to end.
  if (execution.waitingFor !== ticket) return;
  if (execution.stopped !== undefined) failCall(execution, execution.stopped);
  else {
    const { runStopped } = execution;
    if (runStopped !== undefined) execution.stop(runStopped);
  }
}

/** Continues with the value of the stage, unless the wait has ended before. */
function awaitStage(
  stages: readonly Stage[],
  execution: CallState,
  index: number,
  settling: Promise<unknown>,
): void {
  const ticket = execution.waitingFor;
  settling.then(
    (value: unknown) => {
      if (execution.waitingFor !== ticket) return late(execution, stages[index], "returned", value);
      // The wait and the timeout of the attempt continue.
      if (stages[index] === run && isStreamed(value)) {
        return awaitStage(stages, execution, index, collectStream(execution, value));
      }
      endWait(execution);
      // Only the stage that runs the tool returns a value.
      execution.returned = value;
      runStages(stages, execution, index + 1);
    },
    (thrown: unknown) => {
      if (execution.waitingFor !== ticket) return late(execution, stages[index], "threw");
      failCall(execution, thrown);
    },
  );
}

function endWait(execution: CallState): void {
  execution.waitingFor = 0;
  execution.attemptMs = 0;
  execution.time?.endStep();
  execution.engine.activeCalls.delete(execution);
}

/** Starts another attempt instead of ending the call, when one may follow. */
export function startRetry(execution: CallState, thrown: unknown): boolean {
  if (!mayRetry(execution, thrown)) return false;
  // A listener of the event has stopped the call, and it has ended.
  if (execution.ended) return true;
  if (execution.waitingFor !== 0) endWait(execution);
  runStages(nextAttempt, execution, 0);
  return true;
}

/** Ends the pipeline for a stage that threw, and for a stop. */
export function failCall(execution: CallState, thrown: unknown): void {
  try {
    exitPipeline(execution, thrown);
  } catch {
    // Reading the thrown value throws.
    const { name } = execution.call;
    exitPipeline(
      execution,
      new ToolError("execution_failed", `${name} failed: no reason could be read.`),
    );
  }
}

function exitPipeline(execution: CallState, thrown: unknown): void {
  const { engine } = execution;
  if (execution.waitingFor !== 0) endWait(execution);
  // Stopped while it was leaving: the record is not awaited any more.
  if (execution.leaving) return end(execution, failure(execution, toToolError(execution, thrown)));
  if (FinishedBefore.is(thrown)) {
    // The end of the call has been emitted before: the outcome is only returned again.
    execution.ended = true;
    return end(execution, thrown.outcome);
  }
  const waits = InterruptSignal.is(thrown) && execution.stopped === undefined;
  if (!waits && startRetry(execution, thrown)) return;
  execution.leaving = true;
  if (execution.attempt === 0) releaseLimits(execution);
  if (execution.onlyAdmitted) engine.events.requested(execution);
  if (waits) return endAfter(execution, suspendCall(execution, thrown));
  const error = toToolError(execution, thrown);
  const audited = engine.audit?.refused(execution, error);
  if (audited === undefined) return end(execution, failure(execution, error));
  const refused = audited.then((): never => {
    throw error;
  });
  endAfter(execution, refused, error);
}

/** Milliseconds that a store or an audit may delay the end of a task. */
const maxKeepMs = 10_000;

/** Ends a call as soon as its outcome is stored or recorded. A stop does not wait for that. */
function endAfter(execution: CallState, kept: Promise<ToolOutcome>, late?: ToolError): void {
  leaveSlot(execution);
  const ticket = (execution.waits += 1);
  execution.waitingFor = ticket;
  execution.engine.activeCalls.add(execution);
  // A call can be stopped by its caller. A task has no caller that waits, so a timeout ends it.
  if (execution.taskId !== undefined) {
    execution.waitFor(maxKeepMs, () => failCall(execution, late ?? notStoredError(execution)));
  }
  kept.then(
    (outcome) => {
      if (execution.waitingFor !== ticket) return;
      endWait(execution);
      end(execution, outcome);
    },
    (error: unknown) => {
      if (execution.waitingFor === ticket) failCall(execution, error);
    },
  );
}

function end(execution: CallState, outcome: ToolOutcome): void {
  execution.settle(outcome);
  cleanUp(execution);
}

/** Releases the slot, and stops the calls that the tool left running. */
function cleanUp(execution: CallState): void {
  leaveSlot(execution);
  if (execution.hasChildren) {
    execution.stopChildren(new ToolError("cancelled", "The tool that made this call has ended."));
  }
}

function admitted(execution: CallState): never {
  releaseLimits(execution);
  execution.ended = true;
  return undefined as never;
}

/** Handles a stage that settled after its call had ended: emits `tool.late`, and cancels a stream. */
function late(
  execution: CallState,
  stage: Stage | undefined,
  outcome: "returned" | "threw",
  value?: unknown,
): void {
  if (stage !== run) return;
  if (isStreamed(value)) cancelStream(value);
  execution.engine.events.emitCall(execution, { type: "tool.late", outcome });
}
