import type { Cancellation } from "../../contract/cancellation.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { ExecutionContext } from "./tool-context.ts";

/**
 * The cancellation of a running call: its timeout, a cancelled run, an abandoned attempt. For adapters, which only wait
 * for it: `ctx.signal` fires for the same reasons, but creating a platform signal costs as much as the rest of a call.
 *
 * @param ctx of a call; of any other object its `signal` is returned.
 */
export function cancellationOf(ctx: Pick<ToolContext, "signal">): Cancellation {
  return ctx instanceof ExecutionContext ? ctx.cancellation : ctx.signal;
}
