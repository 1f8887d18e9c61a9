import { ToolError } from "../../contract/tool-error.ts";
import type { LimitedCall } from "../../limits/limited-call.ts";

/** The time of a call that has more to watch than the timeout of its first attempt. Milliseconds since the epoch. */
export class Deadlines {
  /** When the present step is given up: an attempt, an answer of the host's, the wait between attempts. */
  stepEnds: number;
  /** What happens then, unless it is an attempt that is given up. */
  onStepEnd: (() => void) | undefined;
  /** When the call has to be over, with all its attempts and waits. */
  endsAt: number;
  /** How long the host gave it for that; undefined: as long as the run has. */
  readonly deadlineMs: number | undefined;
  /** How many people are being asked, by the call or by calls that it has made. */
  #asking = 0;
  #askingSince = 0;
  /** Milliseconds that people have taken. */
  waited = 0;

  constructor(stepEnds: number, endsAt: number = Infinity, deadlineMs?: number) {
    this.stepEnds = stepEnds;
    this.endsAt = endsAt;
    this.deadlineMs = deadlineMs;
  }

  /** The earliest that counts. */
  get deadline(): number {
    if (this.#asking > 0) return Infinity;
    return this.stepEnds < this.endsAt ? this.stepEnds : this.endsAt;
  }

  /** What is left of it for a call that the tool makes. */
  forNested(): Deadlines {
    return new Deadlines(Infinity, this.endsAt, this.deadlineMs);
  }

  /** The step is over. */
  endStep(): void {
    this.stepEnds = Infinity;
    this.onStepEnd = undefined;
  }

  /** A person is asked: until there is an answer, no time passes. */
  pause(now: number): void {
    if (this.#asking === 0) this.#askingSince = now;
    this.#asking += 1;
  }

  /** The person has answered. */
  resume(now: number): void {
    this.#asking -= 1;
    if (this.#asking > 0) return;
    const ms = now - this.#askingSince;
    this.stepEnds += ms;
    this.endsAt += ms;
    this.waited += ms;
  }
}

/** Why a call fails when its deadline, or that of its run, has passed. */
export function overdue({
  call,
  attempt,
  run,
  time,
}: LimitedCall & { readonly time: Deadlines | undefined }): ToolError {
  const begun =
    attempt === 0
      ? ""
      : ` ${call.name} may have done part of its work: check before calling it again.`;
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

/** Why an attempt fails when its timeout has passed. */
export function timedOut({
  call,
  attemptMs,
}: LimitedCall & { readonly attemptMs: number }): ToolError {
  return new ToolError(
    "timeout",
    `${call.name} did not answer within ${attemptMs} ms and was stopped. It may have done part of its work: check before calling it again.`,
  );
}
