import type { Awaitable, Caller } from "@toolweave/core";

/**
 * Permission of a caller. `read`: see tools, events, approvals and grants. `call`: check, start and cancel calls of
 * tools. `decide`: answer approvals and revoke grants.
 */
export type ConsoleScope = "read" | "call" | "decide";

/** The sender of a request. */
export interface ConsoleCaller {
  /**
   * A person, or a program if it has an `agent`. The `id` is stored with an answer as `by`. A caller with an `agent`
   * never decides, whatever its scopes are: otherwise an agent could approve its own calls.
   */
  readonly caller: Caller;
  readonly scopes: readonly ConsoleScope[];
  /** Present if the credential is the token of a session. */
  readonly session?: ConsoleSession;
}

/** A session of a browser. */
export interface ConsoleSession {
  readonly id: string;
  /** Aborted when the session ends: streams of events end then. */
  readonly ended: AbortSignal;
}

/**
 * Determines the sender of a request from its URL and headers; it has no body. `undefined`: there is no valid
 * credential (401). An error is answered with 500, and its message is not sent.
 */
export type ConsoleAuthenticate = (request: Request) => Awaitable<ConsoleCaller | undefined>;

/** True when the caller has the scope. Programs never have `decide`. */
export function hasScope({ caller, scopes }: ConsoleCaller, scope: ConsoleScope): boolean {
  return scopes.includes(scope) && !(scope === "decide" && caller.agent !== undefined);
}
