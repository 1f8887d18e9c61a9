import type { Cancellation } from "../../time/waiting.ts";
import type { LiveGuard } from "../../contract/call-info.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import type { Awaitable } from "../../json/json.ts";
import type { Clock } from "../../time/clock.ts";
import type { ActiveCalls } from "./active-calls.ts";
import { mayFollow, type CallPhase } from "./call-phase.ts";
import { Deadlines, overdue, timedOut, type TimedCall } from "./deadlines.ts";
import { StopSignal } from "./stop-signal.ts";
import type { WaitHandlers } from "./wait-handlers.ts";

/** Functions that the lifecycle of a call uses. */
export interface LifecycleServices {
  readonly clock: Clock;
  readonly activeCalls: ActiveCalls<CallLifecycle>;
}

/**
 * The lifecycle of a call: its phase, its waits and deadlines, and the reason for which it was stopped. Each wait and
 * each phase is a step of its own. Work that belongs to an earlier step has no effect.
 */
export abstract class CallLifecycle implements TimedCall {
  abstract readonly engine: LifecycleServices;
  abstract readonly run: TimedCall["run"] & {
    readonly endsAt: number;
    readonly stopped: ToolError | undefined;
    readonly cancelled: ToolError | undefined;
  };
  abstract readonly call: TimedCall["call"];
  abstract readonly entry: TimedCall["entry"];
  abstract readonly parent: CallLifecycle | undefined;

  // `private` and not `#`: to define a private name for each call costs a tenth of the call.
  private phase: CallPhase = "pending";
  /** Number of steps that are over. */
  private step = 0;
  private isWaiting = false;
  private stopReason: ToolError | undefined;
  /** Number of the current attempt, or of the last one; 0: none has begun. */
  attempt = 0;
  /** Time at which the first attempt began, in milliseconds since the epoch. */
  startedAt = 0;
  /** Timeout of the attempt in milliseconds; 0: none. */
  attemptMs = 0;
  /** The context of the current attempt, or of the last one. */
  context: object | undefined;
  /** Milliseconds until the next attempt, in the phase `retrying`. */
  backOffMs = 0;
  /** Set when the call has more deadlines than the timeout of its first attempt. */
  time: Deadlines | undefined;
  /** The tool has made calls of its own. */
  hasChildren = false;
  /** Set once the call runs as a task, which no caller waits for. */
  taskId: string | undefined;
  /** The call is a task, or below one: it continues when its run is disposed of. */
  detached = false;
  /** Links of the list of waiting calls. */
  previous: CallLifecycle | undefined;
  next: CallLifecycle | undefined;
  /** Resolves the call's promise with its outcome; set when the call enters the pipeline. */
  settle!: (outcome: Awaitable<ToolOutcome>) => void;
  private controller: AbortController | undefined;
  private stopSignal: StopSignal | undefined;

  /** Ends the pipeline of a call that is stopped while it waits. */
  protected abstract fail(reason: ToolError): void;
  /** Ends a call that is stopped while it is leaving: its record is not awaited any more. */
  protected abstract endNow(reason: ToolError): void;
  /** Ends a call for what nothing else has handled: nothing awaits what runs behind a wait. Never throws. */
  abstract abandon(defect: unknown): void;
  /** Starts another attempt, if one may follow. */
  protected abstract retryAfter(error: ToolError): boolean;

  /** The reason for which the call fails: that of a stop from outside, or else what was thrown. */
  reasonFor(thrown: unknown): unknown {
    return this.stopReason ?? thrown;
  }

  /** @throws ToolError the reason for which the call was stopped. */
  throwIfStopped(): void {
    if (this.stopReason !== undefined) throw this.stopReason;
  }

  /** @throws ToolError `internal` when that phase cannot follow: a defect of the executor. */
  enter(next: CallPhase): void {
    if (!mayFollow(this.phase, next)) throw impossibleChange(this.phase, next);
    this.phase = next;
    this.step += 1;
  }

  /** Makes an admitted call pending again, or stops it for the reason for which its run accepts no calls. */
  reopen(refusal: ToolError | undefined): void {
    this.enter("pending");
    if (refusal !== undefined) this.stop(refusal);
  }

  /** Begins an attempt. Code that the attempt before it has left running has no effect. */
  beginAttempt(context: object): void {
    this.enter("attempting");
    this.context = context;
  }

  /**
   * True while the call is not over and the attempt of that context is the current one.
   *
   * @param context as passed to `beginAttempt`.
   */
  isCurrentAttempt(context: object | undefined): boolean {
    return this.context === context && this.phase !== "ended";
  }

  /**
   * Decides what happens after an error: true when another attempt follows.
   *
   * @param plan milliseconds until the next attempt; `undefined`: there is none.
   * @param planned called once another attempt is certain.
   */
  planRetry(
    error: () => ToolError,
    plan: (error: ToolError) => number | undefined,
    planned: (error: ToolError, delayMs: number) => void,
  ): boolean {
    if (this.stopReason !== undefined) return false;
    if (this.phase === "retrying") return true;
    if (this.phase !== "attempting") return false;
    const failed = error();
    const delayMs = plan(failed);
    if (delayMs === undefined) return false;
    this.enter("retrying");
    this.backOffMs = delayMs;
    this.endAttempt(failed);
    // A listener of the attempt's signal may have stopped the call.
    if (this.stopReason === undefined) planned(failed, delayMs);
    return this.stopReason === undefined || this.#isOver;
  }

  /** Ends the failed attempt's wait and calls `next`, unless the call has been stopped since the retry was planned. */
  beginBackoff(next: () => void): void {
    if (this.phase !== "retrying") return;
    this.endWait();
    this.enter("backoff");
    next();
  }

  /** True when the call has an outcome, or is about to have one. */
  get #isOver(): boolean {
    return this.phase === "leaving" || this.phase === "ended";
  }

  /** Ends the attempt, but not the call: work that the tool left running is stopped, and its updates are ignored. */
  endAttempt(reason: ToolError): void {
    this.context = undefined;
    this.#abort(reason);
    this.controller = undefined;
    this.stopSignal = undefined;
    if (this.hasChildren) {
      this.stopChildren(new ToolError("cancelled", "The attempt that made this call has ended."));
    }
  }

  /**
   * Returns a function that passes on what was awaited while the call is in its current step, and throws afterwards, so
   * that nothing continues for a call that has been stopped: `const live = call.guard(); live(await store.list());`.
   */
  guard(): LiveGuard {
    const step = this.step;
    return (value, undo) => {
      if (this.step === step) return value;
      undo?.(value);
      throw this.stopReason ?? new ToolError("cancelled", "The call has continued without it.");
    };
  }

  /** Waits, in a step of its own, that a stop or a deadline can end. */
  wait<Call extends CallLifecycle, T, Data>(
    this: Call,
    settling: Promise<T>,
    handlers: WaitHandlers<Call, T, Data>,
    data: Data,
  ): void {
    this.isWaiting = true;
    this.engine.activeCalls.add(this);
    this.waitAlso(settling, handlers, data);
  }

  /** Waits for something else in the current step. */
  waitAlso<Call extends CallLifecycle, T, Data>(
    this: Call,
    settling: Promise<T>,
    handlers: WaitHandlers<Call, T, Data>,
    data: Data,
  ): void {
    const step = this.step;
    void settling.then(
      (value) => {
        try {
          if (this.step === step) handlers.value(this, value, data);
          else handlers.late(this, "returned", value, data);
        } catch (defect) {
          this.abandon(defect);
        }
      },
      (thrown: unknown) => {
        try {
          if (this.step === step) handlers.error(this, thrown);
          else handlers.late(this, "threw", undefined, data);
        } catch (defect) {
          this.abandon(defect);
        }
      },
    );
  }

  /** Ends the wait, if there is one. */
  endWait(): void {
    if (!this.isWaiting) return;
    this.isWaiting = false;
    this.step += 1;
    this.attemptMs = 0;
    this.time?.endStep();
    this.engine.activeCalls.delete(this);
  }

  /** Ends the wait for a stop that came before it. */
  endWaitIfStopped(): void {
    if (!this.isWaiting) return;
    if (this.stopReason !== undefined) return this.fail(this.stopReason);
    const { runStopped } = this;
    if (runStopped !== undefined) this.stop(runStopped);
  }

  /** Time at which waiting ends, in milliseconds since the epoch. */
  get deadline(): number {
    // A stopped call that waits only to be recorded has no deadline any more.
    if (this.stopReason !== undefined) return Infinity;
    if (this.time !== undefined) return this.time.deadline;
    return this.attemptMs === 0 ? Infinity : this.startedAt + this.attemptMs;
  }

  /** The deadlines of the call, created when first needed. */
  get ownTime(): Deadlines {
    return (this.time ??= new Deadlines(this.deadline));
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
    if (!(now < this.time.endsAt)) this.stop(overdue(this));
  }

  /** Calls `end` after `ms`, unless the step is over before. */
  waitFor(ms: number, end: () => void): void {
    this.ownTime.stepEnds = this.engine.clock.now() + ms;
    this.ownTime.onStepEnd = end;
    this.watchDeadline();
  }

  /** Sets the timer again after a deadline has changed. */
  watchDeadline(): void {
    if (this.isWaiting) this.engine.activeCalls.watch(this);
  }

  /** Handles a deadline that has passed. Never throws: it is called by a timer. */
  expire(): void {
    try {
      this.#expire();
    } catch (defect) {
      this.abandon(defect);
    }
  }

  /** The earliest deadline decides. */
  #expire(): void {
    const { time } = this;
    if (time !== undefined && time.endsAt <= time.stepEnds) return this.stop(overdue(this));
    const end = time?.onStepEnd;
    time?.endStep();
    if (end !== undefined) return end();
    const error = timedOut(this);
    if (!this.retryAfter(error)) this.stop(error);
  }

  /** Aborted when the call is stopped, or the attempt ends. Created when first read: most tools never read it. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.stopReason !== undefined) this.controller.abort(this.stopReason);
    }
    return this.controller.signal;
  }

  /** The same as `signal`, without the cost of a platform signal. */
  get cancellation(): Cancellation {
    if (this.stopSignal === undefined) {
      this.stopSignal = new StopSignal();
      if (this.stopReason !== undefined) this.stopSignal.abort(this.stopReason);
    }
    return this.stopSignal;
  }

  /** The error with which the run stops the call; `undefined`: the run is active. */
  get runStopped(): ToolError | undefined {
    return this.detached ? this.run.cancelled : this.run.stopped;
  }

  /** The error with which calls of the call's tool are refused; `undefined`: they may start. */
  get nestedRefusal(): ToolError | undefined {
    if (this.phase === "ended") {
      return new ToolError("cancelled", "The tool that made this call has already ended.");
    }
    return this.stopReason;
  }

  /** Stops the call, whatever it waits for. The first reason counts. Never throws: signals and other calls stop it. */
  stop(reason: ToolError): void {
    try {
      this.#stop(reason);
    } catch (defect) {
      this.abandon(defect);
    }
  }

  #stop(reason: ToolError): void {
    if (this.phase === "ended" || this.phase === "admitted") return;
    if (this.stopReason !== undefined) {
      // A second stop does not wait until the first one is recorded.
      if (this.phase === "leaving" && this.isWaiting) this.endNow(this.stopReason);
      return;
    }
    this.stopReason = reason;
    this.#abort(reason);
    if (this.hasChildren) this.stopChildren(reason);
    if (!this.isWaiting) return;
    if (this.phase === "leaving") this.endNow(reason);
    else this.fail(reason);
  }

  /**
   * Stops the call on behalf of those who wait for its outcome. Without effect on a task, which no caller waits for.
   */
  stopWaiting(reason: ToolError): void {
    if (this.taskId === undefined) this.stop(reason);
  }

  #abort(reason: ToolError): void {
    this.controller?.abort(reason);
    this.stopSignal?.abort(reason);
  }

  /** Stops all calls below this one, whether or not those in between have ended. */
  stopChildren(reason: ToolError): void {
    for (const call of [...this.engine.activeCalls]) {
      if (call.endsWith(this)) call.stop(reason);
    }
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

  /** The call that waits for this one; `undefined` for a task. */
  get waitedForBy(): CallLifecycle | undefined {
    return this.taskId === undefined ? this.parent : undefined;
  }

  /**
   * True when the call is below `ancestor` and neither it nor a call in between is a task, which outlives its caller.
   */
  endsWith(ancestor: CallLifecycle): boolean {
    let at = this.waitedForBy;
    while (at !== undefined && at !== ancestor) at = at.waitedForBy;
    return at !== undefined;
  }
}

function impossibleChange(from: CallPhase, to: CallPhase): ToolError {
  return new ToolError("internal", `A call cannot change from ${from} to ${to}.`);
}
