import { checkOptions } from "../contract/check-options.ts";
import { checkedConcurrency, Slots, type ConcurrencyLimits } from "./slots.ts";
import { memoryRateLimits } from "./memory-rate-limits.ts";
import type { RateLimit } from "./rate-rules.ts";
import { RateLimits, type RateLimitStore } from "./rate-limits.ts";
import type { Clock } from "../time/clock.ts";

/** Limits for all calls of an executor together, in any run. */
export interface ExecutorLimits {
  /** Maximum use within any window of time. */
  readonly rates?: readonly RateLimit[];
  /** Number of calls that run at once. */
  readonly concurrency?: ConcurrencyLimits;
}

const names: Record<keyof ExecutorLimits, true> = { rates: true, concurrency: true };

/**
 * Creates the services that enforce the limits; `undefined` where there are none.
 *
 * @throws ToolError `invalid_configuration` when a limit is not valid.
 */
export function enforced(
  limits: ExecutorLimits,
  store: RateLimitStore | undefined,
  clock: Clock,
): { readonly rates: RateLimits | undefined; readonly slots: Slots | undefined } {
  checkOptions("limits", limits, Object.keys(names));
  const { rates, concurrency } = limits;
  return {
    rates:
      rates === undefined ? undefined : new RateLimits(rates, store ?? memoryRateLimits(clock)),
    slots: concurrency === undefined ? undefined : new Slots(checkedConcurrency(concurrency)),
  };
}
