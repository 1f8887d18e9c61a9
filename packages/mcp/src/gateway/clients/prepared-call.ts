import type { Answer, Interruption, ToolCall, ToolRun } from "@toolweave/core";

/** A call that was admitted before its client makes it: the client has asked first whether it may. */
export interface PreparedCall {
  /** The run that it was admitted in. */
  readonly run: ToolRun;
  /** The very object that was admitted. */
  readonly call: ToolCall;
  /** What a person was asked, and has agreed to. Absent: nothing was asked. */
  readonly agreed?: { readonly interruption: Interruption; readonly answers: readonly Answer[] };
}
