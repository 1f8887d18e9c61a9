import type { ClientError, Fault, Violation } from "../history/history.ts";

/**
 * A client of gateways gets no error but those of a gateway that was killed: 404 for its session, after which it starts
 * another one; and, for a request that was in flight, a lost connection or an error that says that the call may have run.
 */
export function checkClientErrors(
  errors: readonly ClientError[],
  faults: readonly Fault[],
): readonly Violation[] {
  return errors
    .filter((error) => !isExplained(error, faults))
    .map(({ client, holder, type, text }) => ({
      invariant: "client",
      text: `A client (${client}${holder === undefined ? "" : `, session of ${holder}`}) has got an error that no kill explains (${type}): ${text}`,
    }));
}

function isExplained(
  { type, holder, from, until }: ClientError,
  faults: readonly Fault[],
): boolean {
  const kills = faults.filter(({ kind }) => kind === "kill");
  const wasInFlight = kills.some((kill) => kill.from <= until && kill.until >= from);
  switch (type) {
    case "other":
      return false;
    case "session-lost":
      return holder === undefined
        ? wasInFlight
        : kills.some(({ worker, from: killedAt }) => worker === holder && killedAt <= until);
    default:
      return wasInFlight;
  }
}
