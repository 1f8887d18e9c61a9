import type { Interruption, JsonObject, ToolResult } from "@toolweave/core";
import type { CallRecord, ThrownRecord } from "./call-record.ts";

/** The `artifact` of a `ToolMessage` whose call has ended: the result without what the model reads. */
export interface AnsweredArtifact extends Omit<ToolResult, "content"> {
  /** The failure: a `ToolError` as plain data, with `code` and `message`. */
  readonly error?: JsonObject;
}

/** The `artifact` of a `ToolMessage` whose call waits for what could not be asked for here. */
export interface WaitingArtifact {
  /** To be resumed with `executor.resume`. */
  readonly interruption: Interruption;
}

/** The artifact of a `ToolMessage`, for the host. Plain JSON. */
export type ToolArtifact = AnsweredArtifact | WaitingArtifact;

/** The host's part of a record. */
export function artifactOf(record: Exclude<CallRecord, ThrownRecord>): ToolArtifact {
  if ("interruption" in record) return { interruption: record.interruption };
  const { content: _, ...rest } = record.result;
  return { ...rest, ...(record.error === undefined ? {} : { error: record.error }) };
}
