import type { Counted, Held, LimitedCall } from "./limited-call.ts";

/** Made for the first limit that needs it. */
export function heldBy(execution: LimitedCall): Held {
  return (execution.held ??= {
    recent: undefined,
    amount: undefined,
    spent: 0,
    reservations: [],
  });
}

/** `undefined`: the run has nothing of the call in its counters. */
export function countedOf({ counted, held, resumption }: LimitedCall): Counted | undefined {
  const before = resumption?.counted;
  if (!counted && before === undefined) return undefined;
  return { spent: (before?.spent ?? 0) + (held?.spent ?? 0) };
}
