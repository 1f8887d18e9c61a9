import type { Clock, ClockTimer } from "../../time/clock.ts";

/**
 * How soon the timer looks again after the first call of a busy spell. Most calls are over by then,
 * and a process whose calls are over ends that much later.
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
}

/**
 * The calls that are waiting for something, and the one timer that watches their deadlines: a timer
 * per call would cost more than the call. A list linked through its members, for the same reason.
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

  /** Takes note that a call has another deadline than before. */
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
    // A process with no call under way must be able to end: a long wait is not kept up for nothing.
    if (this.#first === undefined && !this.#looking) this.#disarm();
  }

  /** Those that wait, in order of arrival. */
  *[Symbol.iterator](): IterableIterator<Call> {
    for (let at = this.#first; at !== undefined; at = at.next) yield at;
  }

  /** The timer is in its first, short look. */
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
    // Longer waits do not fit the platform's timers; the timer looks again then.
    this.#timer = this.#clock.setTimeout(
      () => this.#look(),
      Math.min(Math.max(0, ms), 2 ** 31 - 1),
    );
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#armedFor = Infinity;
  }

  #look(): void {
    this.#timer = undefined;
    this.#armedFor = Infinity;
    this.#looking = false;
    const now = this.#clock.now();
    const due: Call[] = [];
    for (const execution of this) if (execution.deadline <= now) due.push(execution);
    // Late when the process was busy, but in the order that they were due.
    due.sort((a, b) => a.deadline - b.deadline);
    for (const execution of due) if (execution.deadline <= now) execution.expire();
    let next = Infinity;
    for (const { deadline } of this) if (deadline < next) next = deadline;
    if (next < this.#armedFor) this.#arm(next, next - now);
  }
}
