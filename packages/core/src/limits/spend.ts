import type { Awaitable } from "../json/json.ts";
import type { Tool } from "../contract/tool.ts";
import type { PermissionRequest } from "../contract/policy-definition.ts";
import { ToolError } from "../contract/tool-error.ts";
import { reservationFor, within, type LimitedCall } from "./limited-call.ts";
import type { RateLimits } from "./rate-limits.ts";

/** A call whose spending is limited, once its tool is known. */
export interface SpendingCall extends LimitedCall {
  readonly tool: Tool;
  readonly engine: { readonly rates: RateLimits | undefined };
}

/**
 * Stage 7, after the preflight and before any decision: reserves the amount that the call spends, or refuses it at
 * once.
 *
 * @throws ToolError `limit_exceeded` of a run, or of a call that does not state an amount; `rate_limited`,
 * `store_unavailable`
 */
export function reserveSpend(
  execution: SpendingCall,
  permissions: readonly PermissionRequest[],
): Awaitable<void> {
  const { run, engine } = execution;
  if (run.limits?.spend === undefined && engine.rates?.limitSpend(execution) !== true) return;
  const amount = sumSpend(execution, permissions);
  if (amount > 0) return holdSpend(execution, amount);
}

/** Reserves `amount` in every limit that counts spending. */
export function holdSpend(execution: SpendingCall, amount: number): Awaitable<void> {
  const held = reservationFor(execution);
  held.amount = amount;
  const counted = Math.max(0, amount - (execution.resumption?.counted?.spent ?? 0));
  if (countSpend(execution, counted)) held.spent = counted;
  return execution.engine.rates?.reserve(execution, "spend", amount);
}

/** Counts `amount` in the run; `false`: the run does not count spending. */
export function countSpend({ run, call }: SpendingCall, amount: number): boolean {
  const { limits, counters } = run;
  if (limits?.spend === undefined || counters === undefined) return false;
  if (!within(limits.spend, counters.spend, amount)) {
    throw new ToolError(
      "limit_exceeded",
      `This run may spend ${limits.spend} in all and has ${rounded(limits.spend - counters.spend)} left; ${call.name} would spend ${rounded(amount)}. Choose something cheaper, or answer with what you have.`,
    );
  }
  counters.spend += amount;
  return true;
}

function sumSpend({ tool, call }: SpendingCall, permissions: readonly PermissionRequest[]): number {
  let sum = 0;
  let stated = false;
  for (const { kind, details } of permissions) {
    if (kind !== "spend") continue;
    const amount = (details as { readonly amount?: unknown } | null | undefined)?.amount;
    if (!(typeof amount === "number" && amount >= 0 && amount < Infinity))
      throw unstated(call.name);
    sum += amount;
    stated = true;
  }
  // The tool spends, and no permission request states an amount.
  if (!stated && tool.spec.annotations.access?.spend === true) throw unstated(call.name);
  return sum;
}

function unstated(name: string): ToolError {
  return new ToolError(
    "limit_exceeded",
    `${name} spends without saying how much, which is not possible where spending is limited. Continue without it.`,
  );
}

/** Removes the rounding errors of binary fractions. */
function rounded(amount: number): number {
  return Math.max(0, Number(amount.toPrecision(12)));
}
