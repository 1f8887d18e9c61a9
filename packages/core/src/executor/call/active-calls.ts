import type { Clock, ClockTimer } from "../../time/clock.ts";

/**
 * Delay of the timer's first check when no timer was set. Most calls have ended by then. A process whose calls have
 * ended exits at most that much later.
 */
const firstLookMs = 10;

/** A call with a deadline, as an element of a linked list. */
export interface ActiveCall<Call> {
  /** Milliseconds since the epoch; Infinity: none. */
  readonly deadline: number;
  previous: Call | undefined;
  next: Call | undefined;
  /** The deadline has passed. */
  expire(): void;
  /** Its deadline cannot be watched any more. */
  abandon(defect: unknown): void;
}

/**
 * The calls that wait, and the one timer for all their deadlines: a timer per call would cost more than the call. A
 * linked list through its members, for the same reason.
 */
export class ActiveCalls<Call extends ActiveCall<Call>> {
  readonly #clock: Clock;
  #first: Call | undefined;
  #last: Call | undefined;
  #timer: ClockTimer | undefined;
  #armedFor = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(execution: Call): void {
    execution.previous = this.#last;
    if (this.#last === undefined) this.#first = execution;
    else this.#last.next = execution;
    this.#last = execution;
    this.watch(execution);
  }

  /** Updates the timer after the deadline of a call has changed. */
  watch({ deadline }: Call): void {
    if (deadline < this.#armedFor) this.#watch(deadline);
  }

  delete(execution: Call): void {
    const { previous, next } = execution;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    execution.previous = undefined;
    execution.next = undefined;
    if (this.#first === undefined && this.#armedFor === Infinity) return;
    // A process without active calls must be able to exit, so a long timer is cleared.
    if (this.#first === undefined && !this.#looking) this.#disarm();
  }

  /** The calls that wait, in order of arrival. */
  *[Symbol.iterator](): IterableIterator<Call> {
    for (let at = this.#first; at !== undefined; at = at.next) yield at;
  }

  /** True while the timer is set for its first, short check. */
  #looking = false;

  #watch(deadline: number): void {
    const now = this.#clock.now();
    const idle = this.#timer === undefined;
    if (idle && deadline > now + firstLookMs) {
      this.#looking = true;
      this.#arm(now + firstLookMs, firstLookMs);
    } else if (!this.#looking || deadline < this.#armedFor) {
      this.#looking = false;
      this.#arm(deadline, deadline - now);
    }
  }

  #arm(at: number, ms: number): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#armedFor = at;
    // The platform's timers cannot represent longer waits; the timer checks again then.
    this.#timer = this.#clock.setTimeout(
      () => this.#lookOrAbandon(),
      Math.min(Math.max(0, ms), 2 ** 31 - 1),
    );
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#armedFor = Infinity;
  }

  /** Nothing awaits a timer: what throws in it ends the calls that it watches. */
  #lookOrAbandon(): void {
    try {
      this.#look();
    } catch (defect) {
      for (const execution of [...this]) execution.abandon(defect);
    }
  }

  #look(): void {
    this.#timer = undefined;
    this.#armedFor = Infinity;
    this.#looking = false;
    const now = this.#clock.now();
    const due: Call[] = [];
    for (const execution of this) if (execution.deadline <= now) due.push(execution);
    // A busy process expires them late, but in the order of their deadlines.
    due.sort((a, b) => a.deadline - b.deadline);
    for (const execution of due) if (execution.deadline <= now) execution.expire();
    let next = Infinity;
    for (const { deadline } of this) if (deadline < next) next = deadline;
    if (next < this.#armedFor) this.#arm(next, next - now);
  }
}
