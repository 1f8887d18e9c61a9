import type { Interruption } from "../../contract/interruption.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import { type CallServices, CallState } from "./call-state.ts";
import { toToolError } from "./to-tool-error.ts";
import { failure } from "./outcome.ts";
import type { RunState } from "./run-state.ts";

/** Ends a call that cannot be resumed. Only its error is certain: the interruption may have been made up. */
export function refuse(
  engine: CallServices,
  { id, call, runId }: Interruption,
  error: unknown,
  run?: RunState,
  parent?: CallState,
): ToolOutcome {
  const own = run ?? engine.executor.startRun({ id: typeof runId === "string" ? runId : "" });
  const execution = new CallState(engine, own, call, own.toolset, [], undefined, parent);
  const failed = toToolError(execution, error);
  engine.audit?.unusable(execution, id, failed);
  return failure(execution, failed);
}
