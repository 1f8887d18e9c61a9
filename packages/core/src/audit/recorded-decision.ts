import type { AuditRecord } from "./audit-sink.ts";

/** What was decided about a call: an audit record without what the call itself tells. */
export type RecordedDecision = Pick<
  AuditRecord,
  "decision" | "rule" | "reason" | "code" | "permissions" | "by" | "interruptionId" | "grantId"
>;
