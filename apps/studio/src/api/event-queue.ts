import type { EventView } from "@toolweave/console";

/** The maximum number of events that a page in the background keeps. */
const maxQueued = 10_000;

/**
 * Collects events and delivers them once a frame. In the background, where browsers draw no frames, the last 10,000 are
 * kept; `events.dropped` stands for those before.
 */
export class EventQueue {
  readonly #deliver: (events: readonly EventView[]) => void;
  readonly #schedule: (callback: () => void) => void;
  #events: EventView[] = [];
  #dropped = 0;
  #isScheduled = false;

  /** @param schedule Default: the next frame. */
  constructor(
    deliver: (events: readonly EventView[]) => void,
    schedule: (callback: () => void) => void = (callback) => requestAnimationFrame(callback),
  ) {
    this.#deliver = deliver;
    this.#schedule = schedule;
  }

  push(event: EventView): void {
    this.#events.push(event);
    // Removed in bulk: to remove one at a time would move all others each time.
    if (this.#events.length >= 2 * maxQueued) {
      const excess = this.#events.length - maxQueued;
      this.#events.splice(0, excess);
      this.#dropped += excess;
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    const events = this.#events;
    const excess = Math.max(0, events.length - maxQueued);
    const dropped = this.#dropped + excess;
    this.#events = [];
    this.#dropped = 0;
    const rest = excess === 0 ? events : events.slice(excess);
    const [first] = rest;
    if (first === undefined) return;
    if (dropped === 0) this.#deliver(rest);
    else {
      const { stream, seq, time } = first;
      this.#deliver([{ stream, seq: seq - 1, time, type: "events.dropped", dropped }, ...rest]);
    }
  }
}
