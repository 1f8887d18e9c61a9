import type { Awaitable } from "../json/json.ts";

/** The identity of a call in a ledger, and of the one who has begun it. */
export interface LedgerClaim {
  readonly runId: string;
  /**
   * The id of the call in its run. Of a call that a tool has made: the ids of the calls above it and its own, as
   * segments of a path.
   */
  readonly callId: string;
  /** Made by the claimant, at random: if the answer to `begin` is lost, the same token gets it again. */
  readonly token: string;
}

/** A call that is about to start. */
export interface LedgerCall extends LedgerClaim {
  readonly tool: string;
  readonly specHash: string;
  /** A keyed hash of the arguments. */
  readonly argumentsHash: string;
  /**
   * The number of the process that holds the run, which grows when another process takes the run over. Absent: it is
   * not compared.
   */
  readonly epoch?: number;
  /**
   * Takes the call over, although it was begun before and has not ended. `rerun`: the host lets it run again. `resume`:
   * a person has answered, and the tool continues; the arguments may be others, and a suspended call is taken over, too.
   */
  readonly repeat?: "rerun" | "resume";
}

/**
 * The state of a call, as the ledger answers `begin`:
 *
 * - `begun`: the call may start. It was not begun before, or is taken over.
 * - `ended`: it was suspended or has ended, with this outcome.
 * - `running`: it was begun before, and the process that began it is active.
 * - `unknown`: it was begun before and has not ended, and the process that began it has ended or was cancelled.
 * - `conflict`: another tool, or other arguments, were begun under the same id.
 * - `superseded`: a process with a higher epoch has begun a call of the run.
 */
export type LedgerEntry =
  | { readonly status: "begun" | "running" | "unknown" | "conflict" | "superseded" }
  | { readonly status: "ended"; readonly outcome: string };

/** The end of a call that was begun. The outcome is text: redacted, and at most 4 MiB. */
export type LedgerEnd =
  /** The outcome is final. */
  | { readonly status: "ended"; readonly outcome: string }
  /** The call waits for a person. The outcome holds its interruption, until it is resumed. */
  | { readonly status: "suspended"; readonly outcome: string }
  /** The tool has started, and its effect is not known. */
  | { readonly status: "unknown" }
  /** The tool has not started: the entry is removed. */
  | { readonly status: "released" };

/**
 * Ensures that the tool of a call starts at most once, over all processes that share the ledger, and returns its outcome
 * to those that make the same call again: an engine that repeats the steps of a process that has crashed. Used for runs
 * with `durable`.
 *
 * Each method is one atomic step. Both reject if the ledger is unavailable.
 */
export interface CallLedger {
  /** Claims a call that is about to start. With the token of an earlier call of `begin`, the answer is the same. */
  begin(call: LedgerCall): Awaitable<LedgerEntry>;
  /**
   * Stores the end of a call.
   *
   * @returns false when the claim is not valid: the call has ended, or was taken over. Nothing has changed then.
   */
  end(claim: LedgerClaim, end: LedgerEnd): Awaitable<boolean>;
}
