import type { Caller } from "@toolweave/core";
import type { ClientLimits } from "./serve-options.ts";

const minuteMs = 60_000;

/** Callers that are remembered while they have nothing open. */
const maxCallers = 10_000;

/**
 * What one caller uses of a gateway at this moment, whichever sessions and connections it uses it over. Streams that
 * only wait for changes are counted apart from calls, so that idle clients never keep a call from being made.
 */
export class CallerBudget {
  readonly #limits: Required<ClientLimits>;
  /** When the calls of the last minute began, the oldest first. */
  readonly #begun: number[] = [];
  #running = 0;
  #streams = 0;
  #subscriptions = 0;

  constructor(limits: Required<ClientLimits>) {
    this.#limits = limits;
  }

  /** Nothing is open, and no rate depends on what was. */
  get isUnused(): boolean {
    this.#forgetOldCalls(Date.now());
    return this.#running + this.#streams + this.#subscriptions + this.#begun.length === 0;
  }

  /** Counts a call; returns why it may not begin, for the model, or `undefined`. Each that begins has to `endCall`. */
  beginCall(): string | undefined {
    const { concurrentCalls, callsPerMinute } = this.#limits;
    if (this.#running >= concurrentCalls) {
      return `This caller already has ${concurrentCalls} calls under way, and may have no more: call again when one of them has ended. ${howToRaise("concurrentCalls")}`;
    }
    if (callsPerMinute !== Infinity) {
      const now = Date.now();
      this.#forgetOldCalls(now);
      const [oldest] = this.#begun;
      if (oldest !== undefined && this.#begun.length >= callsPerMinute) {
        const seconds = Math.ceil((oldest + minuteMs - now) / 1000);
        return `This caller may make ${callsPerMinute} calls a minute, and has made them: call again in ${seconds} seconds. ${howToRaise("callsPerMinute")}`;
      }
      this.#begun.push(now);
    }
    this.#running += 1;
    return undefined;
  }

  /** A call that has been answered goes on: it counts whatever the limit is. */
  continueCall(): void {
    this.#running += 1;
  }

  endCall(): void {
    this.#running -= 1;
  }

  /** Counts a stream that waits for changes; `false`: there are as many as there may be. */
  openStream(): boolean {
    if (this.#streams >= this.#limits.streams) return false;
    this.#streams += 1;
    return true;
  }

  closeStream(): void {
    this.#streams -= 1;
  }

  /** Counts a resource that is subscribed to; `false`: there are as many as there may be. */
  subscribe(): boolean {
    if (this.#subscriptions >= this.#limits.subscriptions) return false;
    this.#subscriptions += 1;
    return true;
  }

  unsubscribe(): void {
    this.#subscriptions -= 1;
  }

  #forgetOldCalls(now: number): void {
    const first = this.#begun.findIndex((begun) => begun > now - minuteMs);
    if (first !== 0) this.#begun.splice(0, first === -1 ? this.#begun.length : first);
  }
}

/** The budget of each caller. Requests without a caller share one. */
export class CallerBudgets {
  readonly #limits: Required<ClientLimits>;
  /** The one that was used longest ago first. */
  readonly #budgets = new Map<string, CallerBudget>();

  constructor(limits: Required<ClientLimits>) {
    this.#limits = limits;
  }

  /** The same budget for every role and agent of a caller: they are the same one. */
  of(caller: Caller | undefined): CallerBudget {
    const key = JSON.stringify(caller?.id ?? null);
    const budget = this.#budgets.get(key) ?? this.#create();
    this.#budgets.delete(key);
    this.#budgets.set(key, budget);
    return budget;
  }

  /** For a connection of the host's own: without a caller it shares its budget with no other. */
  ofConnection(caller: Caller | undefined): CallerBudget {
    return caller === undefined ? new CallerBudget(this.#limits) : this.of(caller);
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

/** Which limit a refusal is about, and where whoever runs the gateway raises it. */
export function howToRaise(name: keyof ClientLimits): string {
  return `The limit is limits.${name} of the gateway (toolweave serve ${flags[name]}).`;
}
