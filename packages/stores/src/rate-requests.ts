import { ToolError } from "@toolweave/core";
import type { RateRequest } from "@toolweave/core/stores";

/**
 * Checks requests for places in a rate.
 *
 * @throws ToolError `internal` for what would give free what others have taken, or never end.
 */
export function checkRateRequests(requests: readonly RateRequest[]): void {
  for (const { key, amount, limit, windowMs } of requests) {
    if (amount >= 0 && limit >= 0 && windowMs > 0 && windowMs < Infinity) continue;
    throw new ToolError(
      "internal",
      `The rate "${key}" makes no sense: amount ${amount} and limit ${limit} must be 0 or more, windowMs ${windowMs} more than 0.`,
    );
  }
  if (new Set(requests.map(({ key }) => key)).size < requests.length) {
    throw new ToolError("internal", "Each request of one reservation needs a key of its own.");
  }
}
