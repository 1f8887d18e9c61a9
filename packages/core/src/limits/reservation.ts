import type { SpendCarriedOver, Reservation, LimitedCall } from "./limited-call.ts";

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
