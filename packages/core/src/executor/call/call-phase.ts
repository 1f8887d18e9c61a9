/**
 * The phase of a call (`docs/concepts/lifecycle.md`, "Phases"):
 *
 * - `pending`: stages 1 to 7, and the wait for a slot. No attempt has begun.
 * - `admitted`: `run.checkAdmission` has let the call through. `run.execute` makes it pending again.
 * - `attempting`: an attempt runs, or its output is processed. A retryable error leads to another attempt.
 * - `retrying`: an attempt has failed, and another one is planned.
 * - `backoff`: the call waits until its next attempt may begin.
 * - `leaving`: the call has failed, or waits for a person. Only its record in stores and the audit is awaited.
 * - `ended`: its outcome is known.
 */
export type CallPhase =
  | "pending"
  | "admitted"
  | "attempting"
  | "retrying"
  | "backoff"
  | "leaving"
  | "ended";

const following: Readonly<Record<CallPhase, readonly CallPhase[]>> = {
  pending: ["attempting", "admitted", "leaving", "ended"],
  admitted: ["pending"],
  attempting: ["retrying", "leaving", "ended"],
  retrying: ["backoff", "leaving"],
  backoff: ["attempting", "leaving"],
  leaving: ["ended"],
  ended: [],
};

/** True when a call may change from `phase` to `next`. */
export function mayFollow(phase: CallPhase, next: CallPhase): boolean {
  // The two changes of an ordinary call: a lookup in the table costs more than the change.
  if (phase === "pending" && next === "attempting") return true;
  if (phase === "attempting" && next === "ended") return true;
  return following[phase].includes(next);
}
