import type { LimitedCall, Slot, Tally } from "./limited-call.ts";
import type { RegisteredTool } from "../contract/tool.ts";
import type { Awaitable } from "../json/json.ts";
import { ToolError } from "../contract/tool-error.ts";
import type { Concurrency } from "./concurrency.ts";

/**
 * The places in which calls run. Those who come back go before those who have not started; among
 * equals the first comes first, except that a call which waits for its own tool or source holds up
 * no other. A call that must run alone holds up all that come after it.
 */
export class Slots {
  readonly #limits: Concurrency;
  readonly #returning = new Set<Slot>();
  readonly #waiting = new Set<Slot>();
  /** Exclusive calls that have started, each made by the one before it. */
  readonly #alone: Slot[] = [];
  readonly #tallies = new Map<string, Tally>();
  #running = 0;

  constructor(limits: Concurrency) {
    this.#limits = limits;
  }

  /**
   * Resolves when the call may start.
   *
   * @throws ToolError `unavailable` when as many wait already as may.
   */
  enter(execution: LimitedCall): Awaitable<void> {
    const { tool, source } = execution.entry as RegisteredTool;
    const { name } = tool.spec;
    const { perTool, perSource, exclusive } = this.#limits;
    const tallies: Tally[] = [];
    if (perTool !== Infinity) tallies.push(this.#join(`tool:${name}`, perTool));
    if (perSource !== Infinity) tallies.push(this.#join(`source:${source}`, perSource));
    const slot: Slot = {
      execution,
      exclusive: exclusive?.(name) === true,
      tallies,
      state: "waiting",
      nested: undefined,
      wait: undefined,
    };
    execution.slot = slot;
    const wait = this.#queue(slot, this.#waiting);
    if (this.#waiting.size > this.#limits.maxWaiting)
      throw overloaded(name, this.#waiting.size - 1);
    return wait;
  }

  /** Gives the place up until `reacquire`. Without effect when the call has none. */
  release({ slot }: LimitedCall): void {
    if (slot !== undefined) this.#sendAway(slot);
  }

  /** Gives up the place of the caller, until the last of the calls that it has made has left. */
  lend(nested: LimitedCall): void {
    const slot = nested.parent?.slot;
    if (slot === undefined) return;
    (slot.nested ??= new Set()).add(nested);
    this.#sendAway(slot);
  }

  /** Resolves when the call has its place again, and at once when it has ended. */
  reacquire({ slot }: LimitedCall): Awaitable<void> {
    if (slot?.state === "away") return this.#queue(slot, this.#returning);
    return slot?.wait?.over;
  }

  /** Gives the place up for good, whatever came of the call. May be said twice. */
  leave(execution: LimitedCall): void {
    const { slot, parent } = execution;
    // Before its own place is free: the caller goes on before others start.
    const caller = parent?.slot;
    if (caller?.nested?.delete(execution) === true && caller.nested.size === 0) {
      void this.reacquire(caller.execution);
    }
    if (slot === undefined || slot.state === "left") return;
    this.#vacate(slot);
    slot.state = "left";
    const alone = this.#alone.indexOf(slot);
    if (alone !== -1) this.#alone.splice(alone, 1);
    for (const tally of slot.tallies) {
      if (--tally.calls === 0) this.#tallies.delete(tally.key);
    }
    this.#fill();
  }

  #sendAway(slot: Slot): void {
    if (slot.state === "away" || slot.state === "left") return;
    this.#vacate(slot);
    slot.state = "away";
    this.#fill();
  }

  #queue(slot: Slot, queue: Set<Slot>): Awaitable<void> {
    slot.state = "waiting";
    queue.add(slot);
    // With nobody who holds up others, a newcomer that has room has no one before it.
    if (this.#limits.exclusive !== undefined) this.#fill();
    else if (this.#hasRoom(slot)) this.#start(slot);
    if (!queue.has(slot)) return;
    let end: (() => void) | undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    slot.wait = { over, end: end as unknown as () => void };
    return over;
  }

  /** Lets in whoever may go now. */
  #fill(): void {
    for (const queue of [this.#returning, this.#waiting]) {
      for (const slot of queue) {
        if (this.#running >= this.#limits.max) return;
        if (!this.#isAdmitted(slot)) continue;
        if (slot.exclusive && this.#running > 0) return;
        if (this.#hasRoom(slot)) this.#start(slot);
      }
    }
  }

  /** While one call runs alone, only what it calls may start, whether it holds a place or not. */
  #isAdmitted(slot: Slot): boolean {
    const alone = this.#alone.at(-1);
    return alone === undefined || alone === slot || slot.execution.isBelow(alone.execution);
  }

  #hasRoom({ tallies }: Slot): boolean {
    return (
      this.#running < this.#limits.max && tallies.every(({ limit, running }) => running < limit)
    );
  }

  #start(slot: Slot): void {
    this.#returning.delete(slot);
    this.#waiting.delete(slot);
    this.#running += 1;
    for (const tally of slot.tallies) tally.running += 1;
    slot.state = "running";
    if (slot.exclusive && !this.#alone.includes(slot)) this.#alone.push(slot);
    this.#endWait(slot);
  }

  /** Takes the call out of wherever it is. */
  #vacate(slot: Slot): void {
    if (slot.state === "running") {
      this.#running -= 1;
      for (const tally of slot.tallies) tally.running -= 1;
    }
    this.#returning.delete(slot);
    this.#waiting.delete(slot);
    this.#endWait(slot);
  }

  #endWait(slot: Slot): void {
    const { wait } = slot;
    slot.wait = undefined;
    wait?.end();
  }

  #join(key: string, limit: number): Tally {
    let tally = this.#tallies.get(key);
    if (tally === undefined) this.#tallies.set(key, (tally = { key, limit, running: 0, calls: 0 }));
    tally.calls += 1;
    return tally;
  }
}

function overloaded(name: string, waiting: number): ToolError {
  return new ToolError(
    "unavailable",
    `${name} was not run: ${waiting} calls wait for their turn already. Call it again later.`,
  );
}
