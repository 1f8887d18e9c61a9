import { canonicalJson } from "../../json/canonical-json.ts";
import { isThenable, type Awaitable } from "../../json/json.ts";
import type { ToolCall } from "../../contract/tool-call.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { readOnce } from "../call/read-call.ts";
import type { CallState } from "../call/call-state.ts";
import { messageOf } from "../../contract/error-message.ts";
import type { ManyCalls } from "./many-calls.ts";
import type { FinishedCall } from "../../contract/call-options.ts";

/** What a batch needs of its run. */
export interface BatchRun {
  /** Resolves when the calls need wait for no source, and sooner when the run or the call is stopped. */
  readonly loaded?: (
    calls: readonly ToolCall[],
    signal: AbortSignal | undefined,
  ) => Awaitable<void>;
  readonly prepare: (call: ToolCall) => CallState;
  /** Absent: the engine runs them. */
  readonly execute?: (execution: CallState) => Promise<ToolOutcome>;
}

interface Member {
  readonly index: number;
  readonly call: ToolCall;
  outcome: Promise<ToolOutcome> | undefined;
}

/**
 * Calls that are made together: none starts before all are admitted or out, and then they start in
 * call order, as many as their strategy lets.
 */
export class Batch {
  readonly #many: ManyCalls;
  readonly #run: BatchRun;
  readonly #onEnd: ((finished: FinishedCall) => void) | undefined;
  /** Somebody hears of each end. */
  readonly #watched: boolean;
  readonly #members = new Map<CallState, Member>();
  /** Admitted and not started, in call order, with what starts each. */
  readonly #waiting = new Map<CallState, () => void>();
  readonly #running = new Set<CallState>();
  readonly #finished: FinishedCall[] = [];
  /** The outcomes of those that have started in this step or were never to, when somebody steers. */
  #step: (Promise<ToolOutcome> | undefined)[] = [];
  /** How many more may start in this step. */
  #left: number;
  /** The ids of calls by tool and arguments, when a repetition is to be skipped. */
  readonly #first: Map<string, string> | undefined;
  /** The one that is on its way through admission, and what tells that it has arrived. */
  #arriving: CallState | undefined;
  #arrived: (() => void) | undefined;
  #stopped: ToolError | undefined;

  constructor(many: ManyCalls, run: BatchRun, onEnd?: (finished: FinishedCall) => void) {
    this.#many = many;
    this.#run = run;
    this.#onEnd = onEnd;
    this.#watched = onEnd !== undefined || many.steer !== undefined;
    this.#left = many.step;
    this.#first = many.skipsDuplicates ? new Map() : undefined;
  }

  /** Makes the calls. Resolves when all have ended, with the outcomes in call order. */
  async go(): Promise<readonly ToolOutcome[]> {
    const { calls, options, step, steer } = this.#many;
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
      if (steer !== undefined && step === Infinity && calls.length > 0) {
        void this.#ask(steer).catch(() => {});
      }
      return outcomes;
    } catch (error) {
      // The registry or the clock is broken. What has been admitted must not wait for ever.
      this.stop(new ToolError("internal", "The calls around this one could not be made."));
      throw error;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Stops those that run, and those that have not started. */
  stop(reason: ToolError): void {
    this.#stopped ??= reason;
    for (const execution of this.#members.keys()) execution.stopWaiting(this.#stopped);
  }

  /**
   * Notes what a call asks for.
   *
   * @throws ToolError `skipped` when an earlier one asks for the same, and that is not to run twice.
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

  /** The call has been admitted. Resolves when it may start. */
  enter(execution: CallState): Promise<void> {
    const entered = new Promise<void>((start) => this.#waiting.set(execution, start));
    this.#arrive(execution);
    return entered;
  }

  /** The call has ended, started or not. */
  leave(execution: CallState): void {
    this.#arrive(execution);
    this.#waiting.delete(execution);
    if (this.#running.delete(execution)) this.#fill();
  }

  async #admit(index: number, call: ToolCall): Promise<void> {
    const execution = this.#run.prepare(readOnce(call));
    execution.batch = this;
    execution.stopped ??= this.#stopped;
    const member: Member = { index, call, outcome: undefined };
    this.#members.set(execution, member);
    const arrived = new Promise<void>((resolve) => (this.#arrived = resolve));
    this.#arriving = execution;
    const outcome = (this.#run.execute ?? execution.engine.execute)(execution);
    member.outcome = this.#watched ? outcome.then((known) => this.#end(member, known)) : outcome;
    await arrived;
    if (this.#many.steer !== undefined && !this.#waiting.has(execution)) {
      this.#step.push(member.outcome);
    }
  }

  #arrive(execution: CallState): void {
    if (this.#arriving !== execution) return;
    this.#arriving = undefined;
    this.#arrived?.();
  }

  #end({ index, call }: Member, outcome: ToolOutcome): ToolOutcome {
    const finished: FinishedCall = { index, call, outcome };
    if (this.#many.steer !== undefined) this.#finished.push(finished);
    this.#onEnd?.(finished);
    return outcome;
  }

  #fill(): void {
    if (this.#left === 0 && this.#running.size === 0 && this.#waiting.size > 0) {
      if (this.#many.steer !== undefined) return void this.#steer(this.#many.steer);
      this.#left = this.#many.step;
    }
    for (const [execution, start] of this.#waiting) {
      if (this.#left === 0 || this.#running.size >= this.#many.maxConcurrency) return;
      this.#left -= 1;
      this.#waiting.delete(execution);
      this.#running.add(execution);
      if (this.#many.steer !== undefined) this.#step.push(this.#members.get(execution)?.outcome);
      start();
    }
  }

  /** Goes on with the next step, or skips what remains. Nothing runs meanwhile. */
  async #steer(steer: NonNullable<ManyCalls["steer"]>): Promise<void> {
    let why: string;
    let cause: unknown;
    try {
      // A call gives its place back before its outcome is known, or its interruption kept.
      await Promise.all(this.#step);
      this.#step = [];
      if (this.#waiting.size === 0) return;
      const answer = await this.#ask(steer);
      if (answer === undefined || answer === null) {
        this.#left = this.#many.step;
        return this.#fill();
      }
      if (typeof answer !== "string") {
        throw new ToolError("internal", "steer answered with neither a text nor undefined.");
      }
      why = `Call it again if it is still wanted. Reason: ${messageOf(answer)}`;
    } catch (error) {
      // Nobody has said that the rest may run.
      why = "The host could not decide whether to go on.";
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

  async #ask(steer: NonNullable<ManyCalls["steer"]>): Promise<unknown> {
    return steer({
      finished: [...this.#finished],
      remaining: Array.from(
        this.#waiting.keys(),
        (execution) => (this.#members.get(execution) as Member).call,
      ),
    });
  }
}
