import type { LimitedCall, Slot, Tally } from "./limited-call.ts";
import type { RegisteredTool } from "../contract/tool.ts";
import type { Awaitable } from "../json/json.ts";
import { ToolError } from "../contract/tool-error.ts";
import { checkOptions } from "../contract/check-options.ts";
import { atLeastZero } from "../contract/option-checks.ts";
import { globMatcher } from "../text/glob.ts";

/**
 * The slots in which calls run. Calls that return go before calls that have not started; otherwise the order is that of
 * arrival, except that a call which waits for its own tool or source does not block others. An exclusive call blocks
 * all calls that come after it.
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
   * @throws ToolError `unavailable` when the maximum number of calls waits already.
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

  /** Releases the slot until `reacquire`. Without effect when the call has none. */
  release({ slot }: LimitedCall): void {
    if (slot !== undefined) this.#sendAway(slot);
  }

  /** Releases the slot of the calling call, until the last of its nested calls has left. */
  lend(nested: LimitedCall): void {
    const slot = nested.parent?.slot;
    if (slot === undefined) return;
    (slot.nested ??= new Set()).add(nested);
    this.#sendAway(slot);
  }

  /** Resolves when the call has its slot again, and at once when it has ended. */
  reacquire({ slot }: LimitedCall): Awaitable<void> {
    if (slot?.state === "away") return this.#queue(slot, this.#returning);
    return slot?.wait?.over;
  }

  /** Releases the slot for good, whatever the outcome. Idempotent. */
  leave(execution: LimitedCall): void {
    const { slot, parent } = execution;
    // Before its own slot is free: the calling call continues before others start.
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
    this.fill();
  }

  /** Starts the waiting calls that may start. A call whose start throws keeps its turn. */
  fill(): void {
    for (const queue of [this.#returning, this.#waiting]) {
      for (const slot of queue) {
        if (this.#running >= this.#limits.max) return;
        if (!this.#isAdmitted(slot)) continue;
        if (slot.exclusive && this.#running > 0) return;
        if (this.#hasRoom(slot)) this.#start(slot);
      }
    }
  }

  #sendAway(slot: Slot): void {
    if (slot.state === "away" || slot.state === "left") return;
    this.#vacate(slot);
    slot.state = "away";
    this.fill();
  }

  #queue(slot: Slot, queue: Set<Slot>): Awaitable<void> {
    slot.state = "waiting";
    queue.add(slot);
    // Without exclusive tools no waiting call blocks others, so a new call that has room starts at once.
    if (this.#limits.exclusive !== undefined) this.fill();
    else if (this.#hasRoom(slot)) this.#start(slot);
    if (!queue.has(slot)) return;
    let end: (() => void) | undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    slot.wait = { over, end: end as unknown as () => void };
    return over;
  }

  /** While an exclusive call runs, only the calls below it may start, whether or not it holds a slot. */
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
    this.#endWait(slot);
    this.#returning.delete(slot);
    this.#waiting.delete(slot);
    this.#running += 1;
    for (const tally of slot.tallies) tally.running += 1;
    slot.state = "running";
    if (slot.exclusive && !this.#alone.includes(slot)) this.#alone.push(slot);
  }

  /** Removes the call from the running or waiting ones. */
  #vacate(slot: Slot): void {
    this.#endWait(slot);
    if (slot.state === "running") {
      this.#running -= 1;
      for (const tally of slot.tallies) tally.running -= 1;
    }
    this.#returning.delete(slot);
    this.#waiting.delete(slot);
  }

  #endWait(slot: Slot): void {
    slot.wait?.end();
    slot.wait = undefined;
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

/**
 * Number of calls of an executor that run at once; the others wait for their turn in order of arrival. A call whose
 * tool waits for nested calls, or for its next attempt, does not count.
 */
export interface ConcurrencyLimits {
  /** Of all calls. */
  readonly max?: number;
  /** Of the tools of one source. */
  readonly perSource?: number;
  /** Of one tool. */
  readonly perTool?: number;
  /** A glob over names, or several: tools that run alone, except for the calls that they make themselves. */
  readonly exclusive?: string | readonly string[];
  /** Maximum number of waiting calls; one more fails with `unavailable`. Default: 10,000. */
  readonly maxWaiting?: number;
}

/** The same, checked. */
interface Concurrency {
  readonly max: number;
  readonly perSource: number;
  readonly perTool: number;
  readonly exclusive: ((name: string) => boolean) | undefined;
  readonly maxWaiting: number;
}

const concurrencyNames: Record<keyof ConcurrencyLimits, true> = {
  max: true,
  perSource: true,
  perTool: true,
  exclusive: true,
  maxWaiting: true,
};

/** @throws ToolError `invalid_configuration` when a limit is not valid. */
export function checkedConcurrency(limits: ConcurrencyLimits): Concurrency {
  checkOptions("limits.concurrency", limits, Object.keys(concurrencyNames));
  const { exclusive } = limits;
  const globs = typeof exclusive === "string" ? [exclusive] : exclusive;
  if (globs !== undefined && !(Array.isArray(globs) && globs.every((g) => typeof g === "string"))) {
    throw new ToolError(
      "invalid_configuration",
      'limits.concurrency.exclusive takes a glob or a list of globs: ["deploy_*"].',
    );
  }
  const { maxWaiting = 10_000 } = limits;
  atLeastZero.check("limits.concurrency.maxWaiting", maxWaiting);
  return {
    max: places("max", limits.max),
    perSource: places("perSource", limits.perSource),
    perTool: places("perTool", limits.perTool),
    exclusive: globs === undefined || globs.length === 0 ? undefined : globMatcher(globs),
    maxWaiting,
  };
}

/** A limit of 0 would make every call wait forever. */
function places(name: string, value: number | undefined): number {
  if (value === undefined) return Infinity;
  if (Number.isInteger(value) && value > 0) return value;
  throw new ToolError(
    "invalid_configuration",
    `limits.concurrency.${name} is ${String(value)}; use a whole number above 0.`,
  );
}
