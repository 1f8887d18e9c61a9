import { ToolError } from "../../contract/tool-error.ts";
import { isTrustedRead, type RegisteredTool } from "../../contract/tool.ts";
import type { ToolCall } from "../../contract/tool-call.ts";
import type { LimitedRun } from "../../limits/limited-call.ts";

/** The deadlines of a call that has more than the timeout of its first attempt, in milliseconds since the epoch. */
export class Deadlines {
  /** Time at which the current step times out: an attempt, an answer of the host, or the wait between attempts. */
  stepEnds: number;
  /** Called when the step times out, unless the step is an attempt. */
  onStepEnd: (() => void) | undefined;
  /** Time by which the call must have ended, with all its attempts and waits. */
  endsAt: number;
  /** Milliseconds that the host gave the call; `undefined`: as many as the run has. */
  readonly deadlineMs: number | undefined;
  /** Number of pending questions to people, of the call and of the calls below it. */
  #asking = 0;
  #askingSince = 0;
  /** Milliseconds that people have taken to answer. */
  waited = 0;

  constructor(stepEnds: number, endsAt: number = Infinity, deadlineMs?: number) {
    this.stepEnds = stepEnds;
    this.endsAt = endsAt;
    this.deadlineMs = deadlineMs;
  }

  /** The earliest deadline that applies. */
  get deadline(): number {
    if (this.#asking > 0) return Infinity;
    return this.stepEnds < this.endsAt ? this.stepEnds : this.endsAt;
  }

  /** Creates the deadlines of a nested call, with the time that remains. */
  forNested(): Deadlines {
    return new Deadlines(Infinity, this.endsAt, this.deadlineMs);
  }

  /** Ends the step. */
  endStep(): void {
    this.stepEnds = Infinity;
    this.onStepEnd = undefined;
  }

  /** Pauses all deadlines while a person is asked. */
  pause(now: number): void {
    if (this.#asking === 0) this.#askingSince = now;
    this.#asking += 1;
  }

  /** Resumes the deadlines after the person has answered. */
  resume(now: number): void {
    this.#asking -= 1;
    if (this.#asking > 0) return;
    const ms = now - this.#askingSince;
    this.stepEnds += ms;
    this.endsAt += ms;
    this.waited += ms;
  }
}

/** A call with deadlines. */
export interface TimedCall {
  readonly call: ToolCall;
  readonly run: Pick<LimitedRun, "limits">;
  readonly attempt: number;
  readonly attemptMs: number;
  readonly time: Deadlines | undefined;
  readonly entry: RegisteredTool | undefined;
}

/** The advice after a call that was stopped while it ran. A call that changes nothing can be repeated. */
function adviceFor({ entry }: TimedCall, subject: string): string {
  return isTrustedRead(entry)
    ? "It changes nothing and may be called again."
    : `${subject} may have done part of its work: check before calling it again.`;
}

/** Creates the error of a call whose deadline, or that of its run, has passed. */
export function overdue(timed: TimedCall): ToolError {
  const { call, attempt, run, time } = timed;
  const begun = attempt === 0 ? "" : ` ${adviceFor(timed, call.name)}`;
  return time?.deadlineMs === undefined
    ? new ToolError(
        "limit_exceeded",
        `This run has used up its ${run.limits?.durationMs} ms.${begun} Answer with what you have.`,
      )
    : new ToolError(
        "timeout",
        `${call.name} was not done by its deadline, ${time.deadlineMs} ms after it was called.${begun}`,
      );
}

/** Creates the error of an attempt whose timeout has passed. */
export function timedOut(timed: TimedCall): ToolError {
  const { call, attemptMs } = timed;
  return new ToolError(
    "timeout",
    `${call.name} did not answer within ${attemptMs} ms and was stopped. ${adviceFor(timed, "It")} If it needs more time, the host can raise timeoutMs.`,
  );
}
