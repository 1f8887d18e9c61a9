import type { Cancellation } from "../../contract/cancellation.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { ExecutionContext } from "./tool-context.ts";

/**
 * What ends a running call early: its timeout, a cancelled run, a given up attempt. For adapters, which only wait for it:
 * `ctx.signal` says the same and is a platform's signal, which costs as much as the rest of a call to make.
 *
 * @param ctx of a call; of anything else its `signal` is given.
 */
export function cancellationOf(ctx: Pick<ToolContext, "signal">): Cancellation {
  return ctx instanceof ExecutionContext ? ctx.cancellation : ctx.signal;
}
