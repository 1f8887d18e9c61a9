import { promised } from "../json/json.ts";
import { endOrAbandon, observed } from "./abandon-call.ts";
import type { ToolOutcome, ToolOutput } from "../contract/tool-result.ts";
import { ToolError } from "../contract/tool-error.ts";
import { collectStream, cancelStream } from "./stages/collect-stream.ts";
import { isStreamed } from "../results/stream-source.ts";
import type { CallServices, CallState, Stage, PipelineStep } from "./call/call-state.ts";
import type { WaitHandlers } from "./call/wait-handlers.ts";
import { toToolError } from "./call/to-tool-error.ts";
import { emitReplayed, FinishedBefore } from "./call/finished-outcome.ts";
import { emitAuthorized } from "./call/record-decision.ts";
import { suspendCall, notStoredError, type StoredEnd } from "./resume/suspend-call.ts";
import { InterruptSignal } from "./call/interrupt-signal.ts";
import { completion, failure } from "./call/outcome.ts";
import { acquireSlot, leaveSlot, reacquireSlot } from "./stages/acquire.ts";
import { afterHooks } from "./stages/after-hooks.ts";
import { authorize } from "./stages/authorize.ts";
import { beforeHooks } from "./stages/before-hooks.ts";
import { abandonInLedger, beginInLedger, endFailedInLedger, endInLedger } from "./stages/ledger.ts";
import { bound } from "./stages/bound.ts";
import {
  commitLimits,
  reserveLimits,
  reserveRetry,
  releaseLimits,
} from "./stages/reserve-limits.ts";
import { detach } from "./stages/detach.ts";
import { skipDuplicates } from "./stages/skip-duplicates.ts";
import { frame, redact } from "./stages/redact.ts";
import { withRepair } from "./stages/repair-arguments.ts";
import { normalise } from "./stages/normalise.ts";
import { parse } from "./stages/parse.ts";
import { resolve } from "./stages/resolve.ts";
import { retryIfTransient, mayRetry, awaitBackoff } from "./stages/retry.ts";
import { run } from "./stages/run.ts";
import { removeInjected } from "./stages/remove-injected.ts";
import { validate } from "./stages/validate.ts";

const parseWithRepair = withRepair(parse);
const validateWithRepair = withRepair(validate);

/** Stages 1 to 3 when nothing repairs arguments. None of them waits, and a stage of its own costs a hundredth of the call. */
function readUnrepaired(execution: CallState): void {
  resolve(execution);
  parse(execution);
  removeInjected(execution);
}

/** The stages behind the tool's work that do not wait, when no hook is between them. */
function retryOrRedact(execution: CallState, output: ToolOutput): ToolOutput {
  return redact(execution, retryIfTransient(execution, output));
}

/** Decides whether the call may start. `checkAdmission` runs these stages too, without the others. */
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
  endInLedger, //            stores the outcome of a durable run's call
];

/** Runs a call that may start. Nothing before it has an effect. */
const work: readonly Stage[] = [
  detach, //                 a task continues in the background
  acquireSlot, //         8  a slot to run in
  beginInLedger, //          a call of a durable run starts once
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

/** The stages as a list of steps, each of which names its successor. */
function steps(stages: readonly Stage[]): PipelineStep {
  const next = (following: PipelineStep | undefined, stage: Stage): PipelineStep => ({
    stage,
    next: following,
  });
  return stages.reduceRight(next, undefined) as PipelineStep;
}

/**
 * The pipeline of most calls: a single call, in a run with or without limits. Stages that the configuration does not
 * need are omitted, since even a stage without effect costs a hundredth of the call. Batches and resumed calls run all
 * stages, so each of them does nothing when the configuration does not need it.
 */
export function pipelineFor(engine: PipelineSettings, hasLimits: boolean): PipelineStep {
  const { hooks, slots, rates, redactor, normaliseArguments, repair, onInvalidCall } = engine;
  const idle = new Set<Stage>([skipDuplicates]);
  if (hooks.beforeCall.length === 0) idle.add(beforeHooks);
  if (hooks.afterCall.length === 0) idle.add(afterHooks);
  if (redactor === undefined) idle.add(redact);
  if (!engine.frameOutputs) idle.add(frame);
  if (slots === undefined) idle.add(acquireSlot);
  if (engine.ledger === undefined) idle.add(beginInLedger).add(endInLedger);
  if (rates === undefined && !hasLimits) idle.add(reserveLimits).add(commitLimits);
  const repairs = normaliseArguments || repair !== undefined || onInvalidCall === "fail";
  const needed = pipeline.filter((stage) => !idle.has(stage));
  const read = repairs
    ? needed
    : replaceEach(needed, [
        [[resolve, parseWithRepair, removeInjected], readUnrepaired],
        [[validateWithRepair], validate],
      ]);
  return steps(replaceEach(read, [[[retryIfTransient, redact], retryOrRedact]]));
}

/** The stages with one in place of each of these sequences. */
function replaceEach(
  stages: readonly Stage[],
  replacements: readonly (readonly [sequence: readonly Stage[], by: Stage])[],
): readonly Stage[] {
  const replaced = [...stages];
  for (const [sequence, by] of replacements) {
    const [first] = sequence;
    const start = replaced.indexOf(first as Stage);
    const matches = sequence.every((stage, index) => replaced[start + index] === stage);
    if (start !== -1 && matches) replaced.splice(start, sequence.length, by);
  }
  return replaced;
}

type PipelineSettings = Pick<
  CallServices,
  | "hooks"
  | "slots"
  | "ledger"
  | "rates"
  | "redactor"
  | "frameOutputs"
  | "normaliseArguments"
  | "repair"
  | "onInvalidCall"
>;

const fullPipeline = steps(pipeline);

/** A resumed call starts again from stage 1, once it is claimed: no other process can resume it then. */
const resumed: PipelineStep = { stage: claimCall, next: fullPipeline };

async function claimCall(execution: CallState): Promise<void> {
  const live = execution.guard();
  const { claim } = await import("./resume/claim.ts");
  return claim(live(execution));
}

/** A call that `admit` let through has released its reservations, so it reserves them again. */
const afterAdmission = steps([reserveLimits, ...work]);

const admissionOnly = steps(admission);
const retry = steps(nextAttempt);

/** Runs a call through the pipeline. Never rejects: every exit of a stage is an outcome. */
export function execute(execution: CallState): Promise<ToolOutcome> {
  if (execution.resumption === undefined) execution.engine.events.requested(execution);
  const outcome = createOutcome(execution);
  runSteps(chooseSteps(execution), execution);
  return outcome;
}

/** Set for the time in which a promise is created. */
let created: CallState | undefined;

/** The promise that the call settles. One function for all of them: a function for each would cost a call 100 bytes. */
function createOutcome(execution: CallState): Promise<ToolOutcome> {
  created = execution;
  return new Promise(keepSettle);
}

function keepSettle(settle: CallState["settle"]): void {
  (created as CallState).settle = settle;
  created = undefined;
}

function chooseSteps({ engine, run, batch, resumption }: CallState): PipelineStep {
  if (resumption !== undefined) return resumed;
  if (batch !== undefined) return fullPipeline;
  return run.limits === undefined ? engine.pipeline : engine.limitedPipeline;
}

/** Runs a call through admission only. `undefined`: it would run now. */
export function admit(execution: CallState): Promise<ToolOutcome | undefined> {
  execution.onlyAdmitted = true;
  return new Promise((settle) => {
    execution.settle = settle as CallState["settle"];
    runSteps(admissionOnly, execution);
  });
}

/** Continues a call that `admit` has let through. */
export function start(execution: CallState): Promise<ToolOutcome> {
  execution.engine.events.requested(execution);
  emitAuthorized(execution);
  return new Promise((settle) => {
    execution.settle = settle;
    runSteps(afterAdmission, execution);
  });
}

/**
 * Runs the stages in order, each with what the one before it returned; awaits a stage only when it returns a promise.
 */
function runSteps(first: PipelineStep | undefined, execution: CallState, returned?: unknown): void {
  let given = returned;
  try {
    for (let step = first; step !== undefined; step = step.next) {
      execution.throwIfStopped();
      const { stage } = step;
      given = stage(execution, given as never);
      if (isPending(given)) return awaitStage(step, execution, given);
    }
    execution.settle(
      execution.onlyAdmitted ? admitted(execution) : completion(execution, given as ToolOutput), // 11
    );
    cleanUp(execution);
  } catch (thrown) {
    if (isPending(given)) given.then(undefined, () => {}); // It is not awaited any more.
    failCall(execution, thrown);
  }
}

/**
 * `isThenable` for what stages return. A function of its own, since the engine optimises each function for the few kinds
 * of objects that it meets: outputs of all kinds would make the shared one slower for its other callers.
 */
function isPending(returned: unknown): returned is PromiseLike<unknown> {
  return (
    typeof returned === "object" &&
    returned !== null &&
    typeof (returned as Partial<PromiseLike<unknown>>).then === "function"
  );
}

/** Waits for an asynchronous stage. A stop does not wait for it. */
function awaitStage(step: PipelineStep, execution: CallState, pending: PromiseLike<unknown>): void {
  // A promise of a class of its own may start its work only in its `then`, which `promised` calls later.
  const settling = isPlainPromise(pending) ? pending : promised(pending);
  execution.wait(settling, stageHandlers, step);
  execution.endWaitIfStopped();
}

function isPlainPromise(value: PromiseLike<unknown>): value is Promise<unknown> {
  return value instanceof Promise && value.constructor === Promise;
}

const stageHandlers: WaitHandlers<CallState, unknown, PipelineStep> = {
  value(execution, value, step) {
    // The wait and the timeout of the attempt continue.
    if (step.stage === run && isStreamed(value)) {
      execution.waitAlso(collectStream(execution, value), stageHandlers, step);
      return;
    }
    execution.endWait();
    runSteps(step.next, execution, value);
  },
  error: failCall,
  late(execution, outcome, value, step) {
    if (step.stage === run) reportLate(execution, outcome, value);
  },
};

/** Starts another attempt instead of ending the call, when one may follow. */
export function startRetry(execution: CallState, thrown: unknown): boolean {
  if (!mayRetry(execution, thrown)) return false;
  execution.beginBackoff(() => runSteps(retry, execution));
  return true;
}

/** Ends the pipeline for a stage that threw, and for a stop. */
export function failCall(execution: CallState, thrown: unknown): void {
  try {
    exitPipeline(execution, thrown);
  } catch {
    // Reading the thrown value throws.
    endOrAbandon(execution, () => exitPipeline(execution, unreadable(execution)));
  }
}

/** Ends a call that is leaving, without waiting for its record. */
export function endNow(execution: CallState, thrown: unknown): void {
  endOrAbandon(execution, () => {
    execution.endWait();
    abandonInLedger(execution);
    let error: ToolError;
    try {
      error = toToolError(execution, thrown);
    } catch {
      error = unreadable(execution);
    }
    end(execution, failure(execution, error));
  });
}

function unreadable({ call }: CallState): ToolError {
  return new ToolError("execution_failed", `${call.name} failed: no reason could be read.`);
}

function exitPipeline(execution: CallState, thrown: unknown): void {
  const { engine } = execution;
  execution.endWait();
  if (FinishedBefore.is(thrown)) return endReplayed(execution, thrown);
  const reason = execution.reasonFor(thrown);
  const waits = InterruptSignal.is(reason);
  if (!waits && startRetry(execution, reason)) return;
  execution.enter("leaving");
  if (execution.attempt === 0) releaseLimits(execution);
  if (execution.onlyAdmitted) engine.events.requested(execution);
  if (waits) return leave(execution, observed(suspendCall(execution, reason)));
  const error = toToolError(execution, reason);
  const audited = engine.audit?.refused(execution, error);
  const stored = endFailedInLedger(execution, error);
  if (audited === undefined && stored === undefined) {
    return end(execution, failure(execution, error));
  }
  const finish = (): ToolOutcome => failure(execution, error);
  leave(
    execution,
    Promise.all([stored, audited]).then(([ended]) => ended ?? { finish }),
    error,
  );
}

/** Returns a stored outcome again. */
function endReplayed(execution: CallState, finished: FinishedBefore): void {
  releaseLimits(execution);
  execution.enter("ended");
  emitReplayed(execution, finished);
  end(execution, finished.outcome);
}

/** Milliseconds that a store or an audit may delay the end of a task. */
const maxKeepMs = 10_000;

/** Ends a call as soon as its outcome is stored or recorded. A stop does not wait for that. */
function leave(execution: CallState, stored: Promise<StoredEnd>, late?: ToolError): void {
  leaveSlot(execution);
  execution.wait(stored, storedHandlers, undefined);
  // A call can be stopped by its caller. A task has no caller that waits, so a timeout ends it.
  if (execution.taskId !== undefined) {
    execution.waitFor(maxKeepMs, () => endNow(execution, late ?? notStoredError(execution)));
  }
}

const storedHandlers: WaitHandlers<CallState, StoredEnd> = {
  value(execution, { finish }) {
    execution.endWait();
    end(execution, finish());
  },
  error: endNow,
  late: (_, _outcome, value) => value?.undo?.(),
};

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
  execution.enter("admitted");
  return undefined as never;
}

/** Handles a tool that settles after its attempt was over: emits `tool.late`, and cancels a stream. */
function reportLate(execution: CallState, outcome: "returned" | "threw", value: unknown): void {
  if (isStreamed(value)) cancelStream(value);
  execution.engine.events.emitCall(execution, { type: "tool.late", outcome });
}
