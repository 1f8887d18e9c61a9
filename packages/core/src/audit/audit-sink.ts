import type { Caller } from "../contract/caller.ts";
import type { Awaitable } from "../json/json.ts";
import type { ToolErrorCode } from "../contract/tool-error.ts";

/**
 * What was decided about a call, by what, for whom. `allowed`: no rule asks. `granted`: a grant
 * answered. `asked`: the call waits for a person. `approved` and `rejected`: a person, or the
 * approver, has decided. `denied`: a rule, a hook or a limit refused, or an approval could not be used.
 */
export type AuditDecision = "allowed" | "granted" | "asked" | "approved" | "rejected" | "denied";

/** One decision, as plain JSON. It holds no arguments and no results, only their hashes. */
export interface AuditRecord {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly runId: string;
  readonly sessionId?: string;
  readonly callId: string;
  readonly tool: string;
  readonly caller?: Caller;
  readonly decision: AuditDecision;
  /** The layer and rule that decided, such as `policy rules[2]`. */
  readonly rule?: string;
  readonly reason?: string;
  /** With `denied`: the code the call failed with. */
  readonly code?: ToolErrorCode;
  /** SHA-256 of the tool's spec. Empty, as the other hash, for an interruption that may be made up. */
  readonly specHash: string;
  /** HMAC-SHA-256 of the final arguments, as canonical JSON: the same wherever the executor's `key` is. */
  readonly argumentsHash: string;
  readonly permissions: readonly { readonly kind: string; readonly target: string }[];
  /** Who agreed or refused. */
  readonly by?: string;
  readonly interruptionId?: string;
  readonly grantId?: string;
}

/** Receives every decision, append-only. */
export interface AuditSink {
  /** Resolves once the record is kept. */
  write(record: AuditRecord): Awaitable<void>;
  /**
   * A call whose decision could not be written is refused with `store_unavailable`. Default: false:
   * the call goes on.
   */
  readonly required?: boolean;
}
