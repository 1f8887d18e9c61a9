import type { Awaitable } from "../json/json.ts";
import type { Tool } from "../contract/tool.ts";
import type { PermissionRequest } from "../contract/permission-request.ts";
import { ToolError } from "../contract/tool-error.ts";
import { reservationFor } from "./reservation.ts";
import type { LimitedCall } from "./limited-call.ts";
import type { RateLimits } from "./rate-limits.ts";
import { within } from "./within.ts";

/** A call whose spending is limited, once its tool is known. */
export interface SpendingCall extends LimitedCall {
  readonly tool: Tool;
  readonly engine: { readonly rates: RateLimits | undefined };
}

/**
 * Stage 7, as soon as the tool has said what the call intends, and before anything is decided:
 * reserves what it spends, or refuses it at once.
 *
 * @throws ToolError `limit_exceeded` of a run, or of a call that does not say how much it spends;
 * `rate_limited`, `store_unavailable`
 */
export function reserveSpend(
  execution: SpendingCall,
  permissions: readonly PermissionRequest[],
): Awaitable<void> {
  const { run, engine } = execution;
  // Stopped meanwhile: nobody would give it back.
  if (execution.leaving) return;
  if (run.limits?.spend === undefined && engine.rates?.limitSpend(execution) !== true) return;
  const amount = spendOf(execution, permissions);
  if (amount > 0) return holdSpend(execution, amount);
}

/** Takes `amount` of every limit that counts spending. */
export function holdSpend(execution: SpendingCall, amount: number): Awaitable<void> {
  const held = reservationFor(execution);
  held.amount = amount;
  const counted = Math.max(0, amount - (execution.resumption?.counted?.spent ?? 0));
  if (countSpend(execution, counted)) held.spent = counted;
  return execution.engine.rates?.reserve(execution, "spend", amount);
}

/** Counts `amount` in the run; `false`: the run counts no spending. */
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

function spendOf({ tool, call }: SpendingCall, permissions: readonly PermissionRequest[]): number {
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
  // It says that it spends, and nobody says how much.
  if (!stated && tool.spec.annotations.access?.spend === true) throw unstated(call.name);
  return sum;
}

function unstated(name: string): ToolError {
  return new ToolError(
    "limit_exceeded",
    `${name} spends without saying how much, which is not possible where spending is limited. Go on without it.`,
  );
}

/** Without the crumbs that binary fractions leave. */
function rounded(amount: number): number {
  return Math.max(0, Number(amount.toPrecision(12)));
}
