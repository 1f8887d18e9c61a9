import {
  ToolError,
  type Interruption,
  type JsonObject,
  type ToolErrorCode,
  type ToolOutcome,
  type ToolResult,
} from "@toolweave/core";

/** The outcome of a call, as plain JSON: a checkpointer stores it, and returns it in another process. */
export type CallRecord =
  | { readonly result: ToolResult; readonly error?: JsonObject }
  | { readonly interruption: Interruption }
  | ThrownRecord;

/** The call was not made, for a reason that is thrown. */
export interface ThrownRecord {
  readonly thrown: { readonly code: ToolErrorCode; readonly message: string };
}

/** The outcome as plain JSON. */
export function recordOf(outcome: ToolOutcome): CallRecord {
  if (outcome.status === "interrupted") return { interruption: outcome.interruption };
  const { result, error } = outcome;
  return { result, ...(error === undefined ? {} : { error: error.toJSON() }) };
}

/**
 * An exception as plain JSON. An exception within a LangGraph task ends the whole graph, even if it would be caught
 * outside the task.
 */
export function thrownRecord(error: unknown): ThrownRecord {
  const code = ToolError.is(error) ? error.code : "internal";
  return { thrown: { code, message: error instanceof Error ? error.message : String(error) } };
}

/** The error again. */
export function errorOf({ thrown: { code, message } }: ThrownRecord): ToolError {
  return new ToolError(code, message);
}
