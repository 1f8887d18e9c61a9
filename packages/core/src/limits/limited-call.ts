import type { CallInfo, RunInfo } from "../contract/call-info.ts";
import type { RecentCall } from "./recent-calls.ts";
import type { RunCounters, RunLimits } from "./run-limits.ts";

/** What limits know of the run of a call. */
export interface LimitedRun extends RunInfo {
  readonly limits: RunLimits | undefined;
  readonly counters: RunCounters | undefined;
}

/** What limits know of a call, and keep with it. */
export interface LimitedCall extends CallInfo {
  readonly run: LimitedRun;
  readonly parent: LimitedCall | undefined;
  readonly resumption: { readonly counted?: SpendCarriedOver } | undefined;
  /** The call has its place in the run's count of calls. */
  readonly counted: boolean;
  /** The call has failed or ended, and waits to be recorded only. */
  readonly leaving: boolean;
  reservation: Reservation | undefined;
  slot: Slot | undefined;
  /** True when the call was made by the tool of `ancestor`, or by what that has called. */
  isBelow(ancestor: LimitedCall): boolean;
}

/** What a call has taken of its limits, besides its place in the count of calls. */
export interface Reservation {
  /** Its place among the last calls of the run. */
  recent: RecentCall | undefined;
  /** What it spends. Kept when given back: a call that was only admitted takes it again. */
  amount: number | undefined;
  /** What the run's counter has of it. */
  spent: number;
  /** Reservations of rates that are neither committed nor released. */
  reservations: string[];
}

/** What a call that was suspended has taken of its run, which counts it no more when it goes on there. */
export interface SpendCarriedOver {
  readonly spent: number;
}

/** How many calls of one tool or source run. */
export interface Tally {
  readonly key: string;
  readonly limit: number;
  running: number;
  /** Calls that have not left: with the last of them it is forgotten. */
  calls: number;
}

/** The place of one call, from when it asks for one until it leaves. */
export interface Slot {
  readonly execution: LimitedCall;
  readonly exclusive: boolean;
  /** Of its tool and its source, as far as they are limited. */
  readonly tallies: readonly Tally[];
  state: "waiting" | "running" | "away" | "left";
  /** Nested calls that have not ended: the last of them brings the place back. */
  nested: Set<LimitedCall> | undefined;
  /** While it waits. */
  wait: { readonly over: Promise<void>; readonly end: () => void } | undefined;
}
