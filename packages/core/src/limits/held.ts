import type { Execution } from "../executor/call/call-state.ts";
import type { RecentCall } from "./recent-calls.ts";

/** What a call has taken of its limits, besides its place in the count of calls. */
export interface Held {
  /** Its place among the last calls of the run. */
  recent: RecentCall | undefined;
  /** What it spends. Kept when given back: a call that was only admitted takes it again. */
  amount: number | undefined;
  /** What the run's counter has of it. */
  spent: number;
  /** Reservations of rates that are neither committed nor released. */
  reservations: string[];
}

/** Made for the first limit that needs it. */
export function heldBy(execution: Execution): Held {
  return (execution.held ??= {
    recent: undefined,
    amount: undefined,
    spent: 0,
    reservations: [],
  });
}

/** What a call that was suspended has taken of its run, which counts it no more when it goes on there. */
export interface Counted {
  readonly spent: number;
}

/** `undefined`: the run has nothing of the call in its counters. */
export function countedOf({ counted, held, resumption }: Execution): Counted | undefined {
  const before = resumption?.counted;
  if (!counted && before === undefined) return undefined;
  return { spent: (before?.spent ?? 0) + (held?.spent ?? 0) };
}
