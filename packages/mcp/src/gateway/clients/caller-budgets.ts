import type { Awaitable, Caller } from "@toolweave/core";
import type { RateLimitStore } from "@toolweave/core/stores";
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
  /** Counts calls per minute in a store. */
  readonly #rate: SharedRate | undefined;
  /** Start times of the calls of the last minute, the oldest first. */
  readonly #startTimes: number[] = [];
  #running = 0;
  #streams = 0;
  #subscriptions = 0;

  constructor(limits: Required<ClientLimits>, rate?: SharedRate) {
    this.#limits = limits;
    this.#rate = rate;
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
  beginCall(): Awaitable<string | undefined> {
    const { concurrentCalls, callsPerMinute } = this.#limits;
    if (this.#running >= concurrentCalls) {
      return `This caller has reached its limit of ${concurrentCalls} concurrent calls: call again when one of them has ended. ${describeLimit("concurrentCalls")}`;
    }
    if (callsPerMinute !== Infinity && this.#rate !== undefined) {
      this.#running += 1;
      return this.#rate.count(callsPerMinute).then((refusal) => {
        if (refusal !== undefined) this.#running -= 1;
        return refusal;
      });
    }
    if (callsPerMinute !== Infinity) {
      const now = Date.now();
      this.#forgetOldCalls(now);
      const [oldest] = this.#startTimes;
      if (oldest !== undefined && this.#startTimes.length >= callsPerMinute) {
        return rateRefusal(callsPerMinute, oldest + minuteMs - now);
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

function rateRefusal(limit: number, waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1000);
  return `This caller has reached its limit of ${limit} calls per minute: call again in ${seconds} seconds. ${describeLimit("callsPerMinute")}`;
}

/** Calls of one caller per minute, counted in a store by all processes that share it. */
class SharedRate {
  readonly #store: RateLimitStore;
  readonly #key: string;

  constructor(store: RateLimitStore, caller: string) {
    this.#store = store;
    this.#key = `gateway/calls/${minuteMs}:caller:${caller}`;
  }

  /** Counts a call; returns the reason of a rejection, for the model, or `undefined`. */
  async count(limit: number): Promise<string | undefined> {
    const request = { key: this.#key, amount: 1, limit, windowMs: minuteMs };
    try {
      const reserved = await this.#store.reserve([request]);
      if (!reserved.granted) return rateRefusal(limit, reserved.retryAfterMs);
      await this.#store.commit(reserved.id);
      return undefined;
    } catch {
      return "The call was not run, because the store that counts calls is unavailable: call again later.";
    }
  }
}

/** The budget of each caller. Requests without a caller share one. */
export class CallerBudgets {
  readonly #limits: Required<ClientLimits>;
  readonly #rates: RateLimitStore | undefined;
  /** Least recently used first. */
  readonly #budgets = new Map<string, CallerBudget>();

  /** @param rates Store of the calls per minute. Absent: this process counts them. */
  constructor(limits: Required<ClientLimits>, rates?: RateLimitStore) {
    this.#limits = limits;
    this.#rates = rates;
  }

  /** Returns the budget of a caller, whatever its roles and agent. */
  forCaller(caller: Caller | undefined): CallerBudget {
    const key = JSON.stringify(caller?.id ?? null);
    const budget = this.#budgets.get(key) ?? this.#create(key);
    this.#budgets.delete(key);
    this.#budgets.set(key, budget);
    return budget;
  }

  /** Returns the budget of a connection of the host: without a caller it is not shared. */
  ofConnection(caller: Caller | undefined): CallerBudget {
    return caller === undefined ? new CallerBudget(this.#limits) : this.forCaller(caller);
  }

  #create(caller: string): CallerBudget {
    for (const [key, budget] of this.#budgets) {
      if (this.#budgets.size < maxCallers) break;
      if (budget.isUnused) this.#budgets.delete(key);
    }
    const rates = this.#rates;
    return new CallerBudget(
      this.#limits,
      rates === undefined ? undefined : new SharedRate(rates, caller),
    );
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
