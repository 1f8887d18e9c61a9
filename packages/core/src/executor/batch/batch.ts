import { canonicalJson } from "../../json/canonical-json.ts";
import { isThenable, type Awaitable } from "../../json/json.ts";
import type { ToolCall } from "../../contract/tool-call.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { toErrorMessage } from "../../contract/error-message.ts";
import { readOnce } from "../call/read-call.ts";
import type { CallState } from "../call/call-state.ts";
import type { ManyCalls } from "./check-call-options.ts";
import type { FinishedCall } from "../../contract/call-options.ts";

/** The parts of a run that a batch uses. */
export interface BatchRun {
  /** Resolves when the calls have to wait for no source, or when the run or the call is stopped. */
  readonly loaded?: (
    calls: readonly ToolCall[],
    signal: AbortSignal | undefined,
  ) => Awaitable<void>;
  readonly prepare: (call: ToolCall) => CallState;
  /** Absent: `engine.execute` runs them. */
  readonly execute?: (execution: CallState) => Promise<ToolOutcome>;
}

interface Member {
  readonly index: number;
  readonly call: ToolCall;
  outcome: Promise<ToolOutcome> | undefined;
}

/**
 * Calls that are made together. None starts before every call is admitted or refused. Then they start in call order, as
 * many at once as the strategy allows.
 */
export class Batch {
  readonly #many: ManyCalls;
  readonly #run: BatchRun;
  readonly #onEnd: ((finished: FinishedCall) => void) | undefined;
  /** True when a listener receives each end, or `stopWhen` is set. */
  readonly #watched: boolean;
  readonly #members = new Map<CallState, Member>();
  /** Calls that are admitted and have not started, in call order, with the function that starts each. */
  readonly #waiting = new Map<CallState, () => void>();
  readonly #running = new Set<CallState>();
  readonly #finished: FinishedCall[] = [];
  /** With `stopWhen`: the outcomes of the calls that started in this step, and of those that never start. */
  #step: (Promise<ToolOutcome> | undefined)[] = [];
  /** Number of calls that may still start in this step. */
  #left: number;
  /** Ids of calls by tool and arguments. Set when duplicates are skipped. */
  readonly #first: Map<string, string> | undefined;
  /** The call that is in admission, and the function that reports its arrival. */
  #arriving: CallState | undefined;
  #arrived: (() => void) | undefined;
  #stopped: ToolError | undefined;

  constructor(many: ManyCalls, run: BatchRun, onEnd?: (finished: FinishedCall) => void) {
    this.#many = many;
    this.#run = run;
    this.#onEnd = onEnd;
    this.#watched = onEnd !== undefined || many.stopWhen !== undefined;
    this.#left = many.step;
    this.#first = many.skipsDuplicates ? new Map() : undefined;
  }

  /** Makes the calls. Resolves when all have ended, with the outcomes in call order. */
  async go(): Promise<readonly ToolOutcome[]> {
    const { calls, options, step, stopWhen } = this.#many;
    const { signal } = options;
    const cancel = (): void => this.stop(new ToolError("cancelled", "The call was cancelled."));
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
    try {
      const loading = this.#run.loaded?.(calls, signal);
      if (isThenable(loading)) await loading;
      for (const [index, call] of calls.entries()) await this.#admit(index, call);
      this.#fill();
      const outcomes = await Promise.all(
        Array.from(this.#members.values(), ({ outcome }) => outcome as Promise<ToolOutcome>),
      );
      if (stopWhen !== undefined && step === Infinity && calls.length > 0) {
        void this.#ask(stopWhen).catch(() => {});
      }
      return outcomes;
    } catch (error) {
      // The registry or the clock has failed. Admitted calls must not wait forever.
      this.stop(new ToolError("internal", "The calls around this one could not be made."));
      throw error;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Stops the calls that run, and those that have not started. */
  stop(reason: ToolError): void {
    this.#stopped ??= reason;
    for (const execution of this.#members.keys()) execution.stopWaiting(this.#stopped);
  }

  /**
   * Records the arguments of a call.
   *
   * @throws ToolError `skipped` when an earlier call has the same tool and arguments, and duplicates are skipped.
   */
  note({ call, args }: CallState): void {
    if (this.#first === undefined) return;
    const key = `${call.name} ${canonicalJson(args)}`;
    const first = this.#first.get(key);
    if (first === undefined) return void this.#first.set(key, call.id);
    const other = first === "" ? "an earlier call" : `call ${first.slice(0, 100)}`;
    throw new ToolError(
      "skipped",
      `${call.name} was not run: it repeats ${other}, with the same arguments. The result of that one holds for both.`,
    );
  }

  /** Registers a call that has been admitted. Resolves when it may start. */
  enter(execution: CallState): Promise<void> {
    const entered = new Promise<void>((start) => this.#waiting.set(execution, start));
    this.#arrive(execution);
    return entered;
  }

  /** Removes a call that has ended, started or not. */
  leave(execution: CallState): void {
    this.#arrive(execution);
    this.#waiting.delete(execution);
    if (this.#running.delete(execution)) this.#fill();
  }

  async #admit(index: number, call: ToolCall): Promise<void> {
    const execution = this.#run.prepare(readOnce(call));
    execution.batch = this;
    if (this.#stopped !== undefined) execution.stop(this.#stopped);
    const member: Member = { index, call, outcome: undefined };
    this.#members.set(execution, member);
    const arrived = new Promise<void>((resolve) => (this.#arrived = resolve));
    this.#arriving = execution;
    const outcome = (this.#run.execute ?? execution.engine.execute)(execution);
    member.outcome = this.#watched ? outcome.then((known) => this.#end(member, known)) : outcome;
    await arrived;
    if (this.#many.stopWhen !== undefined && !this.#waiting.has(execution)) {
      this.#step.push(member.outcome);
    }
  }

  #arrive(execution: CallState): void {
    if (this.#arriving !== execution) return;
    this.#arrived?.();
    this.#arriving = undefined;
  }

  #end({ index, call }: Member, outcome: ToolOutcome): ToolOutcome {
    const finished: FinishedCall = { index, call, outcome };
    if (this.#many.stopWhen !== undefined) this.#finished.push(finished);
    this.#onEnd?.(finished);
    return outcome;
  }

  #fill(): void {
    if (this.#left === 0 && this.#running.size === 0 && this.#waiting.size > 0) {
      if (this.#many.stopWhen !== undefined) return void this.#stopIfAsked(this.#many.stopWhen);
      this.#left = this.#many.step;
    }
    for (const [execution, start] of this.#waiting) {
      if (this.#left === 0 || this.#running.size >= this.#many.maxConcurrency) return;
      this.#left -= 1;
      this.#waiting.delete(execution);
      this.#running.add(execution);
      if (this.#many.stopWhen !== undefined) this.#step.push(this.#members.get(execution)?.outcome);
      start();
    }
  }

  /** Starts the next step, or skips the remaining calls. No call of the batch runs meanwhile. */
  async #stopIfAsked(stopWhen: NonNullable<ManyCalls["stopWhen"]>): Promise<void> {
    let why: string;
    let cause: unknown;
    try {
      // A call releases its slot before its outcome is known or its interruption is stored.
      await Promise.all(this.#step);
      this.#step = [];
      if (this.#waiting.size === 0) return;
      const answer = await this.#ask(stopWhen);
      if (answer === undefined || answer === null) {
        this.#left = this.#many.step;
        return this.#fill();
      }
      if (typeof answer !== "string") {
        throw new ToolError("internal", "stopWhen answered with neither a text nor undefined.");
      }
      why = `Call it again if it is still wanted. Reason: ${toErrorMessage(answer)}`;
    } catch (error) {
      // Without an answer from the host, the remaining calls must not run.
      why = "The host could not decide whether to continue.";
      cause = error;
    }
    for (const execution of [...this.#waiting.keys()]) {
      execution.stop(
        new ToolError("skipped", `${execution.call.name} was skipped and has not run. ${why}`, {
          cause,
        }),
      );
    }
  }

  async #ask(stopWhen: NonNullable<ManyCalls["stopWhen"]>): Promise<unknown> {
    return stopWhen({
      finished: [...this.#finished],
      remaining: Array.from(
        this.#waiting.keys(),
        (execution) => (this.#members.get(execution) as Member).call,
      ),
    });
  }
}
