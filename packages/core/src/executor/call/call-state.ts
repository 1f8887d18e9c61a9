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

/** One step of the pipeline. It leaves the pipeline by throwing. */
export type Stage = (execution: CallState) => Awaitable<unknown>;

/** How calls move through the pipeline. */
interface CallControl {
  /** What a call of a run without limits goes through, unless it is one of several, or resumed. */
  readonly pipeline: readonly Stage[];
  /** The same in a run with limits. */
  readonly limitedPipeline: readonly Stage[];
  /** The pipeline, for calls that running tools make. */
  readonly execute: (execution: CallState) => Promise<ToolOutcome>;
  /** The pipeline's exit, for calls that are stopped while they wait. */
  readonly leave: (execution: CallState, reason: ToolError) => void;
  /** Goes on with a call that a running tool has made, and a person has been asked about. */
  readonly resume: (
    parent: CallState,
    interruption: Interruption,
    options?: NestedResumeOptions,
  ) => Promise<ToolOutcome>;
  /** Goes on with another attempt, if one may follow. */
  readonly retries: (execution: CallState, error: ToolError) => boolean;
  readonly activeCalls: ActiveCalls<CallState>;
}

/** What the stages share: the executor's services, and the pipeline that the calls go through. */
export type CallServices = ExecutorServices & CallControl;

/** What a resumed call starts from. */
export interface Resumption {
  readonly interruption: Interruption;
  /** A keyed hash of the final arguments that were shown. */
  readonly argumentsHash: string;
  readonly arguments: JsonObject;
  readonly attempt: number;
  readonly approval?: Approval;
  /** A person has refused the call. */
  readonly rejected?: RejectAnswer;
  /** Who has answered. */
  readonly by?: string;
  /** Set when the tool itself asked to wait: what it goes on with. */
  readonly suspended?: Resumed;
  /**
   * What it was answered with, when the same answers get its outcome once more: not those that a tool
   * passes on to a call of its own, each of which is used once.
   */
  readonly answers?: readonly Answer[];
  /** The tool is no longer the one that a person was asked about. */
  readonly changed: boolean;
  /** What the run has counted of the call already; absent: nothing, or the run is another one. */
  readonly counted?: SpendCarriedOver;
  /** Which nested call each of the tool's requests has been answered for, by their ids. */
  readonly passedOn: Map<string, string>;
  /** The task that goes on. */
  readonly task?: TaskRecord;
}

/** Several calls that are made together. */
export interface CallBatch {
  /** Resolves when the call may start. */
  enter(call: CallState): Awaitable<void>;
  /** The call has ended, or does not start. */
  leave(call: CallState): void;
  /** The arguments of the call are known: those of equal calls are skipped. */
  note(call: CallState): void;
}

/** One call on its way through the stages: what each of them found. */
export class CallState {
  readonly engine: CallServices;
  readonly run: RunState;
  readonly call: ToolCall;
  readonly toolset: Toolset;
  /** Narrowest last. */
  readonly policies: readonly PolicyLayer[];
  readonly parent: CallState | undefined;
  readonly resumption: Resumption | undefined;
  /** A shorter timeout than the tool's, from the host. */
  timeoutMs: number | undefined;
  /** What whoever has made it leaves for it, and for those below. */
  handedDown: ReadonlyMap<symbol, unknown> | undefined;
  /** Who gets its partial outputs. */
  onUpdate: CallOptions["onUpdate"];

  /** Stages 1 to 7 only: nobody is told that the call was allowed, since it may never start. */
  onlyAdmitted = false;
  /** Stage 1. */
  entry: RegisteredTool | undefined;
  /** Stage 2: what the model sent, stripped; hooks start from it again when a call is resumed. */
  admitted: JsonObject | undefined;
  /** Stages 3 to 6: what the tool will get, a copy of its own for each attempt. */
  args: JsonObject | undefined;
  /** What hooks see of the call; made when the first of them is asked. */
  hooked: HookedCall | undefined;
  /** Stages 2 to 4: the repair function has been asked. */
  repaired = false;
  /** Stage 3: names of injected values that the model sent. */
  discarded: string[] | undefined;
  /** Stage 5. */
  counted = false;
  /** Stages 5 and 7: what else it has taken of its limits. */
  reservation: Reservation | undefined;
  /** Set while the call is one of several made together. */
  batch: CallBatch | undefined;
  /** Stage 7: what a person has agreed to. */
  approval: Approval | undefined;
  /** A resumed call that is this process's to run. */
  claimed = false;
  /** Stage 7: what has been decided, when somebody wants to know. */
  decided: RecordedDecision | undefined;
  /** Stage 8; 0: not started. */
  attempt = 0;
  /** Set when the executor limits how many run. */
  slot: Slot | undefined;
  startedAt = 0;
  /** What the tool was given for the attempt that is under way, or was the last. */
  context: object | undefined;
  /** An attempt is under way whose error may lead to another. */
  attempting = false;
  /** Milliseconds until the next attempt; undefined: there is none. */
  backOffMs: number | undefined;
  returned: unknown;
  /** Stage 9. */
  output: ToolOutput | undefined;
  /** There was more than what is captured at all. */
  truncated = false;
  suspension: Suspension | undefined;
  warnings: string[] | undefined;
  checkpoint: JsonValue | undefined;
  /** Whoever made the call wants a task of it. */
  asTask = false;
  /** It leaves the pipeline; what it waits for is only that this is kept and recorded. */
  leaving = false;
  ended = false;
  /** The tool has made calls of its own. */
  hasChildren = false;
  /** Set once it goes on as a task, and nobody waits for it. */
  taskId: string | undefined;
  /** It is a task, or of one: its run may be disposed of. */
  detached = false;

  /** Links of the list of calls that wait. */
  previous: CallState | undefined;
  next: CallState | undefined;
  /** Which wait of the call is under way; 0: none. */
  waitingFor = 0;
  /** How many there were. */
  waits = 0;
  /** Milliseconds that the attempt may take; 0: no limit. */
  attemptMs = 0;
  /** Set when there is more to watch than the timeout of a first attempt. */
  time: Deadlines | undefined;
  /** Why the call was stopped from outside. */
  stopped: ToolError | undefined;
  /** Hands over what came of the call; set when it enters the pipeline. */
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

  /** What those above it have left for it. */
  get inherited(): ReadonlyMap<symbol, unknown> {
    const { handedDown, parent, run } = this;
    const above = parent?.inherited ?? run.inherited;
    return new Map([...(above ?? []), ...(handedDown ?? [])]);
  }

  /** When waiting ends: milliseconds since the epoch. */
  get deadline(): number {
    // What has been stopped, and only waits to be recorded, cannot be overdue once more.
    if (this.stopped !== undefined) return Infinity;
    if (this.time !== undefined) return this.time.deadline;
    return this.attemptMs === 0 ? Infinity : this.startedAt + this.attemptMs;
  }

  /** Its `time`, made when there is something to watch. */
  get ownTime(): Deadlines {
    return (this.time ??= new Deadlines(this.deadline));
  }

  /** Removes secrets from what leaves the executor of this call. */
  get redactor(): Redactor | undefined {
    return redactorForCall(this);
  }

  /** The tool, after stage 1. */
  get tool(): RegisteredTool["tool"] {
    return (this.entry as RegisteredTool).tool;
  }

  /** Made when first read: most tools never look. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.stopped !== undefined) this.#controller.abort(this.stopped);
    }
    return this.#controller.signal;
  }

  /** The same for whoever needs no platform's signal. */
  get cancellation(): Cancellation {
    if (this.#stopSignal === undefined) {
      this.#stopSignal = new StopSignal();
      if (this.stopped !== undefined) this.#stopSignal.abort(this.stopped);
    }
    return this.#stopSignal;
  }

  /** Why its run lets nothing go on. */
  get runStopped(): ToolError | undefined {
    return this.detached ? this.run.cancelled : this.run.stopped;
  }

  /** The call goes on by itself: what ends those who made it, or the call's deadline, does not end it. */
  detachAs(taskId: string): void {
    this.taskId = taskId;
    this.detached = true;
    const { time, run } = this;
    if (time?.deadlineMs === undefined) return;
    this.time =
      run.endsAt === Infinity ? undefined : new Deadlines(Infinity, run.endsAt + time.waited);
  }

  /** Stops it for those who wait for its outcome. Nobody waits for a task. */
  stopWaiting(reason: ToolError): void {
    if (this.taskId === undefined) this.stop(reason);
  }

  /** Stops the call, whatever it waits for, for the first reason given. */
  stop(reason: ToolError): void {
    if (this.ended) return;
    if (this.stopped !== undefined) {
      // Whoever stops it again does not wait for that to be recorded, either.
      if (this.leaving && this.waitingFor !== 0) this.engine.leave(this, this.stopped);
      return;
    }
    this.stopped = reason;
    this.#abort(reason);
    if (this.hasChildren) this.stopChildren(reason);
    if (this.waitingFor !== 0) this.engine.leave(this, reason);
  }

  #abort(reason: ToolError): void {
    this.#controller?.abort(reason);
    this.#stopSignal?.abort(reason);
  }

  /** Stops what the tool has called and what that has called, whether or not those in between have ended. */
  stopChildren(reason: ToolError): void {
    for (const execution of [...this.engine.activeCalls]) {
      if (execution.endsWith(this)) execution.stop(reason);
    }
  }

  /** Made by `ancestor`'s tool, or by what that has called. */
  isBelow(ancestor: CallState): boolean {
    let at = this.parent;
    while (at !== undefined && at !== ancestor) at = at.parent;
    return at !== undefined;
  }

  /** The call that waits for this one: none for a task. */
  get waitedForBy(): CallState | undefined {
    return this.taskId === undefined ? this.parent : undefined;
  }

  /** The same, and neither it nor one in between is a task, which outlives the one that made it. */
  endsWith(ancestor: CallState): boolean {
    let at = this.waitedForBy;
    while (at !== undefined && at !== ancestor) at = at.waitedForBy;
    return at !== undefined;
  }

  /**
   * The attempt is over and the call is not: what the tool has left running of it is stopped, and
   * hears and says nothing more.
   */
  endAttempt(reason: ToolError): void {
    this.context = undefined;
    this.#abort(reason);
    this.#controller = undefined;
    this.#stopSignal = undefined;
    if (this.hasChildren) {
      this.stopChildren(new ToolError("cancelled", "The attempt that made this call has ended."));
    }
  }

  /** The host gives the call so much time, from now on, in all; the run may have less left. */
  giveTime(deadlineMs: number | undefined): void {
    const { endsAt } = this.run;
    const now = this.engine.clock.now();
    this.time =
      deadlineMs === undefined || now + deadlineMs >= endsAt
        ? new Deadlines(Infinity, endsAt)
        : new Deadlines(Infinity, now + deadlineMs, deadlineMs);
    // Not `>=`: a deadline that is no number has passed, too.
    if (!(now < this.time.endsAt)) this.stopped ??= overdue(this);
  }

  /** Has `end` called in `ms`, unless the step is over before. */
  waitFor(ms: number, end: () => void): void {
    this.ownTime.stepEnds = this.engine.clock.now() + ms;
    this.ownTime.onStepEnd = end;
    if (this.waitingFor !== 0) this.engine.activeCalls.watch(this);
  }

  /** A deadline has passed: the earliest is the one that counts. */
  expire(): void {
    const { time } = this;
    if (time !== undefined && time.endsAt <= time.stepEnds) return this.stop(overdue(this));
    const end = time?.onStepEnd;
    time?.endStep();
    if (end !== undefined) return end();
    const error = timedOut(this);
    if (!this.engine.retries(this, error)) this.stop(error);
  }
}
