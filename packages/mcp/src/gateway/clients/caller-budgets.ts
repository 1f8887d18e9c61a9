import type { Caller } from "@toolweave/core";
import type { ClientLimits } from "./serve-options.ts";

const minuteMs = 60_000;

/** Maximum number of callers without open resources that are remembered. */
const maxCallers = 10_000;

/**
 * Current use of a gateway by one caller, over all its sessions and connections. Streams are counted separately from
 * calls, so that idle clients never block a call.
 */
export class CallerBudget {
  readonly #limits: Required<ClientLimits>;
  /** Start times of the calls of the last minute, the oldest first. */
  readonly #startTimes: number[] = [];
  #running = 0;
  #streams = 0;
  #subscriptions = 0;

  constructor(limits: Required<ClientLimits>) {
    this.#limits = limits;
  }

  /** True if nothing is open and no rate depends on earlier calls. */
  get isUnused(): boolean {
    this.#forgetOldCalls(Date.now());
    return this.#running + this.#streams + this.#subscriptions + this.#startTimes.length === 0;
  }

  /**
   * Counts a call; returns the reason of a rejection, for the model, or `undefined`. `endCall` must follow each
   * counted call.
   */
  beginCall(): string | undefined {
    const { concurrentCalls, callsPerMinute } = this.#limits;
    if (this.#running >= concurrentCalls) {
      return `This caller has reached its limit of ${concurrentCalls} concurrent calls: call again when one of them has ended. ${describeLimit("concurrentCalls")}`;
    }
    if (callsPerMinute !== Infinity) {
      const now = Date.now();
      this.#forgetOldCalls(now);
      const [oldest] = this.#startTimes;
      if (oldest !== undefined && this.#startTimes.length >= callsPerMinute) {
        const seconds = Math.ceil((oldest + minuteMs - now) / 1000);
        return `This caller has reached its limit of ${callsPerMinute} calls per minute: call again in ${seconds} seconds. ${describeLimit("callsPerMinute")}`;
      }
      this.#startTimes.push(now);
    }
    this.#running += 1;
    return undefined;
  }

  /** Counts a call that continues after its response, without a limit. */
  continueCall(): void {
    this.#running += 1;
  }

  endCall(): void {
    this.#running -= 1;
  }

  /** Counts a stream; `false`: the limit is reached. */
  openStream(): boolean {
    if (this.#streams >= this.#limits.streams) return false;
    this.#streams += 1;
    return true;
  }

  closeStream(): void {
    this.#streams -= 1;
  }

  /** Counts a subscribed resource; `false`: the limit is reached. */
  subscribe(): boolean {
    if (this.#subscriptions >= this.#limits.subscriptions) return false;
    this.#subscriptions += 1;
    return true;
  }

  unsubscribe(): void {
    this.#subscriptions -= 1;
  }

  #forgetOldCalls(now: number): void {
    const first = this.#startTimes.findIndex((startedAt) => startedAt > now - minuteMs);
    if (first !== 0) this.#startTimes.splice(0, first === -1 ? this.#startTimes.length : first);
  }
}

/** The budget of each caller. Requests without a caller share one. */
export class CallerBudgets {
  readonly #limits: Required<ClientLimits>;
  /** Least recently used first. */
  readonly #budgets = new Map<string, CallerBudget>();

  constructor(limits: Required<ClientLimits>) {
    this.#limits = limits;
  }

  /** Returns the budget of a caller, whatever its roles and agent. */
  forCaller(caller: Caller | undefined): CallerBudget {
    const key = JSON.stringify(caller?.id ?? null);
    const budget = this.#budgets.get(key) ?? this.#create();
    this.#budgets.delete(key);
    this.#budgets.set(key, budget);
    return budget;
  }

  /** Returns the budget of a connection of the host: without a caller it is not shared. */
  ofConnection(caller: Caller | undefined): CallerBudget {
    return caller === undefined ? new CallerBudget(this.#limits) : this.forCaller(caller);
  }

  #create(): CallerBudget {
    for (const [key, budget] of this.#budgets) {
      if (this.#budgets.size < maxCallers) break;
      if (budget.isUnused) this.#budgets.delete(key);
    }
    return new CallerBudget(this.#limits);
  }
}

const flags: Readonly<Record<keyof ClientLimits, string>> = {
  concurrentCalls: "--max-calls",
  callsPerMinute: "--max-calls-per-minute",
  sessions: "--max-sessions",
  sessionIdleMs: "--session-idle",
  streams: "--max-streams",
  subscriptions: "--max-subscriptions",
};

/** Names the limit of a rejection, and the option that raises it. */
export function describeLimit(name: keyof ClientLimits): string {
  return `The limit is limits.${name} of the gateway (toolweave serve ${flags[name]}).`;
}
