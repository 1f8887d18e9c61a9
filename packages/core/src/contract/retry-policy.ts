import { checkOptions, isAtLeastZero } from "./check-options.ts";
import { formatValue } from "../text/format-value.ts";
import type { RetryPolicy } from "./tool-spec.ts";
import { ToolError } from "./tool-error.ts";

/** A record of all of them, so that none is forgotten. */
const policyKeys: Record<keyof RetryPolicy, true> = {
  attempts: true,
  initialDelayMs: true,
  maxDelayMs: true,
  retryNonIdempotent: true,
};

/**
 * Rejects a policy that would never end, or whose values have no effect.
 *
 * @param where the owner of the policy, for the error: `new ToolExecutor: retry`.
 * @throws ToolError `invalid_configuration`
 */
export function checkRetry(where: string, policy: RetryPolicy): void {
  checkOptions(where, policy, Object.keys(policyKeys));
  const { attempts, initialDelayMs = 0, maxDelayMs = 0, retryNonIdempotent = false } = policy;
  if (!(Number.isInteger(attempts) && attempts > 0)) {
    throw defect(`${where}.attempts is ${formatValue(attempts)}; use a whole number above 0.`);
  }
  for (const [name, ms] of Object.entries({ initialDelayMs, maxDelayMs })) {
    if (!isAtLeastZero(ms) || ms === Infinity) {
      throw defect(`${where}.${name} is ${formatValue(ms)}; use 0 or more.`);
    }
  }
  if (typeof retryNonIdempotent !== "boolean") {
    throw defect(`${where}.retryNonIdempotent is neither true nor false.`);
  }
}

/** Milliseconds before attempt `next`, from 2: doubled each time, of which the last half is random. */
export function backOff(policy: RetryPolicy, next: number): number {
  const { initialDelayMs = 200, maxDelayMs = 30_000 } = policy;
  // Not beyond what a number can hold: 0 times that is no number.
  const maxMs = Math.min(maxDelayMs, initialDelayMs * 2 ** Math.min(next - 2, 100));
  return Math.round(maxMs * (1 - Math.random() / 2));
}

function defect(message: string): ToolError {
  return new ToolError("invalid_configuration", message);
}
