import type { Execution } from "../executor/execution.ts";
import type { RecentCall } from "./recent-calls.ts";

/** What a call has taken of its limits, besides its place in the count of calls. */
export interface Held {
  /** Its place among the last calls of the run. */
  recent: RecentCall | undefined;
  /** What it spends. Kept when given back: a call that was only admitted takes it again. */
  amount: number | undefined;
  /** The run's counter has `amount` in it. */
  spent: boolean;
  /** Reservations of rates that are neither committed nor released. */
  reservations: string[];
}

/** Made for the first limit that needs it. */
export function heldBy(execution: Execution): Held {
  return (execution.held ??= {
    recent: undefined,
    amount: undefined,
    spent: false,
    reservations: [],
  });
}
