/**
 * The phases of a call, each with those that may follow it (`docs/concepts/lifecycle.md`, "Phases"):
 *
 * - `pending`: stages 1 to 7, and the wait for a slot. No attempt has begun.
 * - `admitted`: `run.checkAdmission` has let the call through. `run.execute` makes it pending again.
 * - `attempting`: an attempt runs, or its output is processed. A retryable error leads to another attempt.
 * - `retrying`: an attempt has failed, and another one is planned.
 * - `backoff`: the call waits until its next attempt may begin.
 * - `leaving`: the call has failed, or waits for a person. Only its record in stores and the audit is awaited.
 * - `ended`: its outcome is known.
 */
export const phaseTransitions = {
  pending: ["admitted", "attempting", "leaving", "ended"],
  admitted: ["pending"],
  attempting: ["retrying", "leaving", "ended"],
  retrying: ["backoff", "leaving"],
  backoff: ["attempting", "leaving"],
  leaving: ["ended"],
  ended: [],
} as const;

/** The phase of a call. */
export type CallPhase = keyof typeof phaseTransitions;
