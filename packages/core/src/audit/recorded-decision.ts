import type { AuditRecord } from "./audit-sink.ts";

/** A decision on a call: an audit record without the members that describe the call itself. */
export type RecordedDecision = Pick<
  AuditRecord,
  "decision" | "rule" | "reason" | "code" | "permissions" | "by" | "interruptionId" | "grantId"
>;
