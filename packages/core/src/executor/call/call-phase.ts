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

/** True when a call may change from `phase` to `next`. A `switch`, since a lookup in a table costs more than the change. */
export function mayFollow(phase: CallPhase, next: CallPhase): boolean {
  switch (phase) {
    case "pending":
      return next === "attempting" || next === "ended" || next === "leaving" || next === "admitted";
    case "attempting":
      return next === "ended" || next === "leaving" || next === "retrying";
    case "admitted":
      return next === "pending";
    case "retrying":
      return next === "backoff" || next === "leaving";
    case "backoff":
      return next === "attempting" || next === "leaving";
    case "leaving":
      return next === "ended";
    case "ended":
      return false;
  }
}
