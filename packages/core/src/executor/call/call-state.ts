import type { Approval } from "../../approvals/approval.ts";
import type { Resumed } from "../../approvals/pending-call.ts";
import type { RecordedDecision } from "../../audit/recorded-decision.ts";
import type { Cancellation } from "../../contract/cancellation.ts";
import type {
  Answer,
  Interruption,
  RejectAnswer,
  Suspension,
} from "../../contract/interruption.ts";
import type { Awaitable, JsonObject, JsonValue } from "../../json/json.ts";
import type { RegisteredTool, Toolset, NestedResumeOptions } from "../../contract/tool.ts";
import type { ToolCall } from "../../contract/tool-call.ts";
import type { ToolOutcome, ToolOutput } from "../../contract/tool-result.ts";
import type { CallOptions } from "../../contract/call-options.ts";
import type { RunState } from "./run-state.ts";
import type { PolicyLayer } from "../../policy/policy-layer.ts";
import type { SpendCarriedOver, Reservation, Slot } from "../../limits/limited-call.ts";
import type { TaskRecord } from "../../tasks/task-store.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { Deadlines, overdue, timedOut } from "./deadlines.ts";
import type { ActiveCalls } from "./active-calls.ts";
import type { ExecutorServices } from "./services.ts";
import type { HookedCall } from "./hook.ts";
import type { Redactor } from "../../contract/redactor.ts";
import { redactorForCall } from "../../redaction/redactor-of.ts";
import { StopSignal } from "./stop-signal.ts";

/** One step of the pipeline. A stage ends the pipeline by throwing. */
export type Stage = (execution: CallState) => Awaitable<unknown>;

/** Functions that move calls through the pipeline. */
interface CallControl {
  /** Stages of a call in a run without limits, unless the call is part of a batch or resumed. */
  readonly pipeline: readonly Stage[];
  /** The same in a run with limits. */
  readonly limitedPipeline: readonly Stage[];
  /** Runs the pipeline, for calls that running tools make. */
  readonly execute: (execution: CallState) => Promise<ToolOutcome>;
  /** Ends the pipeline of a call that is stopped while it waits. */
  readonly failCall: (execution: CallState, reason: ToolError) => void;
  /** Resumes a call that a running tool has made, and that waited for approval. */
  readonly resume: (
    parent: CallState,
    interruption: Interruption,
    options?: NestedResumeOptions,
  ) => Promise<ToolOutcome>;
  /** Starts another attempt, if one may follow. */
  readonly startRetry: (execution: CallState, error: ToolError) => boolean;
  readonly activeCalls: ActiveCalls<CallState>;
}

/** Services that the stages share: those of the executor, and the pipeline of its calls. */
export type CallServices = ExecutorServices & CallControl;

/** State from which a resumed call starts. */
export interface Resumption {
  readonly interruption: Interruption;
  /** A keyed hash of the final arguments that were displayed. */
  readonly argumentsHash: string;
  readonly arguments: JsonObject;
  readonly attempt: number;
  readonly approval?: Approval;
  /** A person has refused the call. */
  readonly rejected?: RejectAnswer;
  /** Name of the person who answered. */
  readonly by?: string;
  /** Set when the tool itself asked to wait: the state and the answers that it resumes with. */
  readonly suspended?: Resumed;
  /**
   * The answers to the interruption, when a retry of the same answers returns the same outcome. Not set for answers
   * that a tool passes on to a nested call: each of those is used once.
   */
  readonly answers?: readonly Answer[];
  /** The tool has changed since a person was asked about it. */
  readonly changed: boolean;
  /** The part of the call that the run has counted already; absent: none, or the call is resumed in another run. */
  readonly counted?: SpendCarriedOver;
  /** The interruption that each request of the tool has been answered for, by the ids of the requests. */
  readonly passedOn: Map<string, string>;
  /** The task that is resumed. */
  readonly task?: TaskRecord;
}

/** Several calls that are made together. */
export interface CallBatch {
  /** Resolves when the call may start. */
  enter(call: CallState): Awaitable<void>;
  /** Removes a call that has ended, or does not start. */
  leave(call: CallState): void;
  /** Records the arguments of the call: of equal calls, the later ones are skipped. */
  note(call: CallState): void;
}

/** One call in the pipeline, with the results of the stages so far. */
export class CallState {
  readonly engine: CallServices;
  readonly run: RunState;
  readonly call: ToolCall;
  readonly toolset: Toolset;
  /** The policies of the call, narrowest last. */
  readonly policies: readonly PolicyLayer[];
  readonly parent: CallState | undefined;
  readonly resumption: Resumption | undefined;
  /** A timeout from the host, shorter than the tool's. */
  timeoutMs: number | undefined;
  /** Values that its caller sets for it and for the calls below it. */
  handedDown: ReadonlyMap<symbol, unknown> | undefined;
  /** Receives its partial outputs. */
  onUpdate: CallOptions["onUpdate"];

  /** Stages 1 to 7 only. No authorization event is emitted, since the call may never start. */
  onlyAdmitted = false;
  /** Stage 1. */
  entry: RegisteredTool | undefined;
  /** Stage 2: the arguments that the model sent, stripped. Hooks start from them again when a call is resumed. */
  admitted: JsonObject | undefined;
  /** Stages 3 to 6: the arguments for the tool; each attempt gets a copy of its own. */
  args: JsonObject | undefined;
  /** The call as hooks see it; created for the first hook. */
  hooked: HookedCall | undefined;
  /** Stages 2 to 4: true once the repair function has been called. */
  repaired = false;
  /** Stage 3: names of injected values that the model sent. */
  discarded: string[] | undefined;
  /** Stage 5. */
  counted = false;
  /** Stages 5 and 7: the other reservations of its limits. */
  reservation: Reservation | undefined;
  /** Set while the call is one of several made together. */
  batch: CallBatch | undefined;
  /** Stage 7: the approval of a person. */
  approval: Approval | undefined;
  /** A resumed call that this process has claimed. */
  claimed = false;
  /** Stage 7: the decision, when events or the audit need it. */
  decided: RecordedDecision | undefined;
  /** Stage 8; 0: not started. */
  attempt = 0;
  /** Set when the executor limits how many run. */
  slot: Slot | undefined;
  startedAt = 0;
  /** The context of the current attempt, or of the last one. */
  context: object | undefined;
  /** True while an attempt runs whose error may lead to another attempt. */
  attempting = false;
  /** Milliseconds until the next attempt; undefined: there is none. */
  backOffMs: number | undefined;
  returned: unknown;
  /** Stage 9. */
  output: ToolOutput | undefined;
  /** The output was longer than `maxCapturedBytes`. */
  truncated = false;
  suspension: Suspension | undefined;
  warnings: string[] | undefined;
  checkpoint: JsonValue | undefined;
  /** The caller asked for a task. */
  asTask = false;
  /** The call is leaving the pipeline: it waits only until its outcome is stored and recorded. */
  leaving = false;
  ended = false;
  /** The tool has made calls of its own. */
  hasChildren = false;
  /** Set once the call runs as a task, which no caller waits for. */
  taskId: string | undefined;
  /** The call is a task, or below one: its run may be disposed of. */
  detached = false;

  /** Links of the list of waiting calls. */
  previous: CallState | undefined;
  next: CallState | undefined;
  /** Number of the current wait; 0: the call does not wait. */
  waitingFor = 0;
  /** Number of waits so far. */
  waits = 0;
  /** Timeout of the attempt in milliseconds; 0: none. */
  attemptMs = 0;
  /** Set when the call has more deadlines than the timeout of its first attempt. */
  time: Deadlines | undefined;
  /** Why the call was stopped from outside. */
  stopped: ToolError | undefined;
  /** Resolves the call's promise with its outcome; set when the call enters the pipeline. */
  settle!: (outcome: Awaitable<ToolOutcome>) => void;
  #controller: AbortController | undefined;
  #stopSignal: StopSignal | undefined;

  constructor(
    engine: CallServices,
    run: RunState,
    call: ToolCall,
    toolset: Toolset,
    policies: readonly PolicyLayer[],
    timeoutMs?: number,
    parent?: CallState,
    resumption?: Resumption,
  ) {
    this.engine = engine;
    this.run = run;
    this.call = call;
    this.toolset = toolset;
    this.policies = policies;
    this.timeoutMs = timeoutMs;
    this.parent = parent;
    this.resumption = resumption;
    if (parent !== undefined) {
      this.detached = parent.detached;
      if (parent.time !== undefined) this.time = parent.time.forNested();
    }
  }

  /** Values that the run and the calls above have set for it. */
  get inheritedContext(): ReadonlyMap<symbol, unknown> {
    const { handedDown, parent, run } = this;
    const above = parent?.inheritedContext ?? run.inheritedContext;
    return new Map([...(above ?? []), ...(handedDown ?? [])]);
  }

  /** Time at which waiting ends, in milliseconds since the epoch. */
  get deadline(): number {
    // A stopped call that waits only to be recorded has no deadline any more.
    if (this.stopped !== undefined) return Infinity;
    if (this.time !== undefined) return this.time.deadline;
    return this.attemptMs === 0 ? Infinity : this.startedAt + this.attemptMs;
  }

  /** The deadlines of the call, created when first needed. */
  get ownTime(): Deadlines {
    return (this.time ??= new Deadlines(this.deadline));
  }

  /** Redacts the secrets of this call from everything that leaves the executor. */
  get redactor(): Redactor | undefined {
    return redactorForCall(this);
  }

  /** The tool, after stage 1. */
  get tool(): RegisteredTool["tool"] {
    return (this.entry as RegisteredTool).tool;
  }

  /** Created when first read: most tools never read it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.stopped !== undefined) this.#controller.abort(this.stopped);
    }
    return this.#controller.signal;
  }

  /** The same as `signal`, without the cost of a platform signal. */
  get cancellation(): Cancellation {
    if (this.#stopSignal === undefined) {
      this.#stopSignal = new StopSignal();
      if (this.stopped !== undefined) this.#stopSignal.abort(this.stopped);
    }
    return this.#stopSignal;
  }

  /** The error with which the run stops the call; `undefined`: the run is active. */
  get runStopped(): ToolError | undefined {
    return this.detached ? this.run.cancelled : this.run.stopped;
  }

  /** Detaches the call as a task: neither the end of its callers nor the call's deadline ends it. */
  detachAs(taskId: string): void {
    this.taskId = taskId;
    this.detached = true;
    const { time, run } = this;
    if (time?.deadlineMs === undefined) return;
    this.time =
      run.endsAt === Infinity ? undefined : new Deadlines(Infinity, run.endsAt + time.waited);
  }

  /**
   * Stops the call on behalf of those who wait for its outcome. Without effect on a task, which no caller waits for.
   */
  stopWaiting(reason: ToolError): void {
    if (this.taskId === undefined) this.stop(reason);
  }

  /** Stops the call, whatever it waits for. The first reason counts. */
  stop(reason: ToolError): void {
    if (this.ended) return;
    if (this.stopped !== undefined) {
      // A second stop does not wait until the first one is recorded.
      if (this.leaving && this.waitingFor !== 0) this.engine.failCall(this, this.stopped);
      return;
    }
    this.stopped = reason;
    this.#abort(reason);
    if (this.hasChildren) this.stopChildren(reason);
    if (this.waitingFor !== 0) this.engine.failCall(this, reason);
  }

  #abort(reason: ToolError): void {
    this.#controller?.abort(reason);
    this.#stopSignal?.abort(reason);
  }

  /** Stops all calls below this one, whether or not those in between have ended. */
  stopChildren(reason: ToolError): void {
    for (const execution of [...this.engine.activeCalls]) {
      if (execution.endsWith(this)) execution.stop(reason);
    }
  }

  /** True when the call was made by the tool of `ancestor`, or below it. */
  isBelow(ancestor: CallState): boolean {
    let at = this.parent;
    while (at !== undefined && at !== ancestor) at = at.parent;
    return at !== undefined;
  }

  /** The call that waits for this one; `undefined` for a task. */
  get waitedForBy(): CallState | undefined {
    return this.taskId === undefined ? this.parent : undefined;
  }

  /**
   * True when the call is below `ancestor` and neither it nor a call in between is a task, which outlives its caller.
   */
  endsWith(ancestor: CallState): boolean {
    let at = this.waitedForBy;
    while (at !== undefined && at !== ancestor) at = at.waitedForBy;
    return at !== undefined;
  }

  /** Ends the attempt, but not the call: work that the tool left running is stopped, and its updates are ignored. */
  endAttempt(reason: ToolError): void {
    this.context = undefined;
    this.#abort(reason);
    this.#controller = undefined;
    this.#stopSignal = undefined;
    if (this.hasChildren) {
      this.stopChildren(new ToolError("cancelled", "The attempt that made this call has ended."));
    }
  }

  /** Sets the total time of the call from now on. The run may have less time left. */
  giveTime(deadlineMs: number | undefined): void {
    const { endsAt } = this.run;
    const now = this.engine.clock.now();
    this.time =
      deadlineMs === undefined || now + deadlineMs >= endsAt
        ? new Deadlines(Infinity, endsAt)
        : new Deadlines(Infinity, now + deadlineMs, deadlineMs);
    // Not `>=`: a deadline of `NaN` counts as passed.
    if (!(now < this.time.endsAt)) this.stopped ??= overdue(this);
  }

  /** Calls `end` after `ms`, unless the step is over before. */
  waitFor(ms: number, end: () => void): void {
    this.ownTime.stepEnds = this.engine.clock.now() + ms;
    this.ownTime.onStepEnd = end;
    if (this.waitingFor !== 0) this.engine.activeCalls.watch(this);
  }

  /** Handles a deadline that has passed. The earliest deadline decides. */
  expire(): void {
    const { time } = this;
    if (time !== undefined && time.endsAt <= time.stepEnds) return this.stop(overdue(this));
    const end = time?.onStepEnd;
    time?.endStep();
    if (end !== undefined) return end();
    const error = timedOut(this);
    if (!this.engine.startRetry(this, error)) this.stop(error);
  }
}
