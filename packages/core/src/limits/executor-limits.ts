import { checkOptions } from "../contract/check-options.ts";
import { checkedConcurrency, type ConcurrencyLimits } from "./concurrency.ts";
import { memoryRateLimits } from "./memory-rate-limits.ts";
import type { RateLimit } from "./rate-rules.ts";
import { RateLimits } from "./rate-limits.ts";
import type { RateLimitStore } from "./rate-limit-store.ts";
import { Slots } from "./slots.ts";
import type { Clock } from "../time/clock.ts";

/** What holds for all calls of an executor together, whichever run they belong to. */
export interface ExecutorLimits {
  /** How much may be done within any window of time. */
  readonly rates?: readonly RateLimit[];
  /** How many calls run at once. */
  readonly concurrency?: ConcurrencyLimits;
}

const names: Record<keyof ExecutorLimits, true> = { rates: true, concurrency: true };

/**
 * What enforces the limits; absent, where there are none.
 *
 * @throws ToolError `internal` when a limit makes no sense.
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
