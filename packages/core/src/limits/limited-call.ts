import type { CallInfo, LiveCall, RunInfo } from "../contract/call-info.ts";
import type { RecentCall, RunCounters, RunLimits } from "./run-limits.ts";

/** The run of a call, as limits use it. */
export interface LimitedRun extends RunInfo {
  readonly limits: RunLimits | undefined;
  readonly counters: RunCounters | undefined;
}

/** A call, as limits use it. */
export interface LimitedCall extends CallInfo, LiveCall {
  readonly run: LimitedRun;
  readonly parent: LimitedCall | undefined;
  readonly resumption: { readonly counted?: SpendCarriedOver } | undefined;
  /** True when the run's count of calls includes the call. */
  readonly counted: boolean;
  reservation: Reservation | undefined;
  slot: Slot | undefined;
  /** True when the call was made by the tool of `ancestor`, or below it. */
  isBelow(ancestor: LimitedCall): boolean;
}

/** A call's reservations of its limits, besides the run's count of calls. */
export interface Reservation {
  /** Its entry among the last calls of the run. */
  recent: RecentCall | undefined;
  /** The amount that it spends. Kept on release: a call that was only admitted reserves it again. */
  amount: number | undefined;
  /** The amount that the run's counter includes. */
  spent: number;
  /** Reservations of rates that are neither committed nor released. */
  reservations: string[];
}

/** The amount that the run has counted for a suspended call. It is not counted again when the call is resumed there. */
export interface SpendCarriedOver {
  readonly spent: number;
}

/** The number of running calls of one tool or source. */
export interface Tally {
  readonly key: string;
  readonly limit: number;
  running: number;
  /** Number of calls that have not left. With the last of them the tally is removed. */
  calls: number;
}

/** The slot of one call, from its request until the call leaves. */
export interface Slot {
  readonly execution: LimitedCall;
  readonly exclusive: boolean;
  /** The tallies of its tool and its source, if they are limited. */
  readonly tallies: readonly Tally[];
  state: "waiting" | "running" | "away" | "left";
  /** Nested calls that have not ended: when the last one ends, the slot is reacquired. */
  nested: Set<LimitedCall> | undefined;
  /** Set while the call waits. */
  wait: { readonly over: Promise<void>; readonly end: () => void } | undefined;
}

/** Created for the first limit that needs it. */
export function reservationFor(execution: LimitedCall): Reservation {
  return (execution.reservation ??= {
    recent: undefined,
    amount: undefined,
    spent: 0,
    reservations: [],
  });
}

/** `undefined`: the counters of the run do not include the call. */
export function spendCarriedOver({
  counted,
  reservation: held,
  resumption,
}: LimitedCall): SpendCarriedOver | undefined {
  const before = resumption?.counted;
  if (!counted && before === undefined) return undefined;
  return { spent: (before?.spent ?? 0) + (held?.spent ?? 0) };
}

/**
 * True when `amount` more stays within `limit`. Tolerates the rounding errors of binary fractions: three times 0.1 is
 * within 0.3. NaN is never within a limit.
 */
export function within(limit: number, used: number, amount: number): boolean {
  return used + amount <= limit * (1 + 1e-12);
}
