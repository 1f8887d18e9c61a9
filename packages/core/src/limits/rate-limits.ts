import { reservationFor, type LimitedCall } from "./limited-call.ts";
import type { RegisteredTool } from "../contract/tool.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { isThenable, promised, type Awaitable } from "../json/json.ts";
import { ToolError } from "../contract/tool-error.ts";
import { rateRules, type RateLimit, type RateRule, type RateUnit } from "./rate-rules.ts";

/** The rate limits of an executor. The reservations of a call are stored with the call. */
export class RateLimits {
  readonly #rules: readonly RateRule[];
  readonly #store: RateLimitStore;

  /** @throws ToolError `invalid_configuration` when a limit is not valid. */
  constructor(limits: readonly RateLimit[], store: RateLimitStore) {
    this.#rules = rateRules(limits);
    this.#store = store;
  }

  /** True when spending is limited for the tool of a call. */
  limitSpend(execution: LimitedCall): boolean {
    return this.#rulesFor(execution, "spend").length > 0;
  }

  /**
   * Reserves the amount of a call in all its limits, or in none.
   *
   * @throws ToolError `rate_limited`, `store_unavailable`
   */
  reserve(execution: LimitedCall, unit: RateUnit, amount: number): Awaitable<void> {
    const rules = this.#rulesFor(execution, unit);
    if (rules.length === 0) return;
    const requests = rules.map((rule): RateRequest => ({
      key: toKey(rule, execution),
      amount,
      limit: rule.limit,
      windowMs: rule.windowMs,
    }));
    const keep = (answer: RateReservation): void => {
      if (answer?.granted === true && typeof answer.id === "string") {
        reservationFor(execution).reservations.push(answer.id);
      } else if (answer?.granted === false) {
        const rule = rules[requests.findIndex(({ key }) => key === answer.key)] ?? rules[0];
        throw exhausted(execution, rule as RateRule, answer.retryAfterMs);
      } else throw unavailable(execution, new TypeError("The store's answer is no reservation."));
    };
    let answer: Awaitable<RateReservation>;
    try {
      answer = this.#store.reserve(requests);
    } catch (error) {
      throw unavailable(execution, error);
    }
    if (!isThenable(answer)) return keep(answer);
    const live = execution.guard();
    // Stopped while the store was asked: the other reservations have been released already.
    const undo = (late: RateReservation): void => {
      if (late?.granted === true && typeof late.id === "string") this.#release(late.id);
    };
    return promised(answer).then(
      (granted) => keep(live(granted, undo)),
      (error: unknown) => {
        throw unavailable(execution, error);
      },
    );
  }

  /**
   * Commits the reservations of the call.
   *
   * @throws ToolError `store_unavailable`
   */
  commit(execution: LimitedCall): Awaitable<void> {
    const { reservation: held } = execution;
    // One after the other: if a commit fails, the reservations after it can still be released.
    for (let id = held?.reservations.shift(); id !== undefined; id = held?.reservations.shift()) {
      let pending: Awaitable<void>;
      try {
        pending = this.#store.commit(id);
        if (!isThenable(pending)) continue;
      } catch (error) {
        throw unavailable(execution, error);
      }
      return promised(pending).then(
        () => this.commit(execution),
        (error: unknown) => {
          throw unavailable(execution, error);
        },
      );
    }
  }

  /** Releases the reservations of the call that are not committed. Never throws. */
  release({ reservation: held }: LimitedCall): void {
    if (held === undefined) return;
    const ids = held.reservations;
    held.reservations = [];
    for (const id of ids) this.#release(id);
  }

  /** Releases one reservation. If that fails, it counts as used. */
  #release(id: string): void {
    try {
      const pending = this.#store.release(id);
      if (isThenable(pending)) pending.then(undefined, () => {});
    } catch {
      // The store has failed; the next call reports it.
    }
  }

  #rulesFor({ entry }: LimitedCall, unit: RateUnit): readonly RateRule[] {
    return this.#rules.filter(
      (rule) => rule.unit === unit && rule.matches(entry as RegisteredTool),
    );
  }
}

function toKey({ per, prefix }: RateRule, { run, entry }: LimitedCall): string {
  const { tool, source } = entry as RegisteredTool;
  switch (per) {
    case "tool":
      return `${prefix}tool:${tool.spec.name}`;
    case "source":
      return `${prefix}source:${source}`;
    case "caller":
      return run.caller === undefined
        ? `${prefix}caller`
        : `${prefix}caller:${canonicalJson(run.caller.id)}`;
    case "all":
      return `${prefix}all`;
  }
}

function exhausted({ call }: LimitedCall, rule: RateRule, retryAfterMs: number): ToolError {
  const scope = {
    tool: call.name,
    source: `the tools of ${call.name}'s source`,
    caller: "this caller",
    all: "all tools together",
  }[rule.per];
  const limit = `The limit of ${rule.limit} ${rule.unit === "calls" ? "calls" : "spent"} in ${duration(rule.windowMs)} for ${scope} leaves no room for this call.`;
  if (!Number.isFinite(retryAfterMs)) {
    return new ToolError("rate_limited", `${limit} Waiting will not help: continue without it.`, {
      retryable: false,
    });
  }
  const wait = Math.max(0, Math.ceil(retryAfterMs));
  return new ToolError(
    "rate_limited",
    `${limit} Try again in ${duration(wait)}, or continue without it.`,
    { retryAfterMs: wait },
  );
}

function unavailable({ call }: LimitedCall, cause: unknown): ToolError {
  return new ToolError(
    "store_unavailable",
    `${call.name} has not run, because its rate limits could not be checked. Try again later, or continue without it.`,
    { cause },
  );
}

/** Formats a duration, rounded up. */
function duration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)} ms`;
  if (ms < 120_000) return `${Math.ceil(ms / 1000)} s`;
  if (ms < 7_200_000) return `${Math.ceil(ms / 60_000)} min`;
  return `${Math.ceil(ms / 3_600_000)} h`;
}

/** One limit that a call counts against. */
export interface RateRequest {
  /**
   * Key of the budget, such as `calls/60000:tool:search`. It includes the window: requests of one key always have the
   * same.
   */
  readonly key: string;
  /** The amount that the call uses. */
  readonly amount: number;
  /** Maximum within any window. */
  readonly limit: number;
  /** Milliseconds. */
  readonly windowMs: number;
}

/** A reservation, to be committed or released; or the limit that refuses it. */
export type RateReservation =
  | { readonly granted: true; readonly id: string }
  | {
      readonly granted: false;
      /** Key of the limit that is exhausted. */
      readonly key: string;
      /** Milliseconds until the same request could be granted; `Infinity`: never. */
      readonly retryAfterMs: number;
    };

/**
 * Counts calls in sliding windows. In memory by default; `@toolweave/stores` has one that processes can share. Windows
 * use the store's own clock. If it throws, the call fails with `store_unavailable`.
 */
export interface RateLimitStore {
  /** Reserves all requests, whose keys differ, or none. Reserved amounts count as used. */
  reserve(requests: readonly RateRequest[]): Awaitable<RateReservation>;
  /**
   * Commits a reservation: its window begins now. A reservation that is neither committed nor released counts as used.
   */
  commit(id: string): Awaitable<void>;
  /** Releases a reservation that has not been used. */
  release(id: string): Awaitable<void>;
}
