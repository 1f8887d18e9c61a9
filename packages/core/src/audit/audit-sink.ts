import type { Caller } from "../contract/caller.ts";
import type { Awaitable } from "../json/json.ts";
import type { ToolErrorCode } from "../contract/tool-error.ts";

/**
 * Decision on a call. `allowed`: no rule asks. `granted`: a grant answered. `asked`: the call waits for a person.
 * `approved` and `rejected`: a person, or the approver, has decided. `denied`: a rule, a hook or a limit refused, the tool
 * is not advertised to this caller or run, or an approval could not be used.
 */
export type AuditDecision = "allowed" | "granted" | "asked" | "approved" | "rejected" | "denied";

/** One decision, as plain JSON. It contains no arguments and no results, only their hashes. */
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
  /** With `denied`: the error code of the call. */
  readonly code?: ToolErrorCode;
  /**
   * SHA-256 of the tool's spec. Like the other hash, empty for an interruption that may be made up, and for a call that was
   * refused because its tool is not advertised.
   */
  readonly specHash: string;
  /** HMAC-SHA-256 of the final arguments as canonical JSON: equal for executors with the same `key`. */
  readonly argumentsHash: string;
  readonly permissions: readonly { readonly kind: string; readonly target: string }[];
  /** The program through which the call, or the answer, came, such as `serve`. Set by the host's sink. */
  readonly from?: string;
  /** Name of the person who approved or rejected. */
  readonly by?: string;
  readonly interruptionId?: string;
  readonly grantId?: string;
}

/** Receives every decision, append-only. */
export interface AuditSink {
  /** Resolves once the record is stored. */
  write(record: AuditRecord): Awaitable<void>;
  /**
   * If true, a call whose decision could not be written is refused with `store_unavailable`. Default: false, the call
   * continues.
   */
  readonly required?: boolean;
}

/** A stored record. */
export interface AuditEntry {
  /** Grows with each record of the same store. */
  readonly seq: number;
  /** Where it is: `before`, for the records before it. */
  readonly position: string;
  readonly record: AuditRecord;
}

/** Which records are read. */
export interface ReadAuditOptions {
  /** Only records before the one with this position. Default: the latest ones. */
  readonly before?: string;
  /** Maximum number of records. */
  readonly limit: number;
}

/** Reads stored records, for people. */
export interface AuditReader {
  /**
   * The records, newest first.
   *
   * @throws ToolError `store_unavailable`
   */
  read(options: ReadAuditOptions): Awaitable<readonly AuditEntry[]>;
}

/** A decision on a call: an audit record without the members that describe the call itself. */
export type RecordedDecision = Pick<
  AuditRecord,
  "decision" | "rule" | "reason" | "code" | "permissions" | "by" | "interruptionId" | "grantId"
>;
