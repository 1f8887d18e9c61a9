import type { ToolContext } from "../../contract/tool.ts";
import { ExecutionContext } from "./tool-context.ts";

/**
 * Waits for a person whom a running tool asks by other means than a suspension. For adapters: until the answer arrives,
 * the deadlines of the call are paused.
 *
 * @param ctx of the call; with any other object the answer is only awaited.
 */
export function pauseDeadlineFor<T>(
  ctx: Pick<ToolContext, "signal">,
  answer: PromiseLike<T>,
): PromiseLike<T> {
  return ctx instanceof ExecutionContext ? ctx.whileAsking(answer) : answer;
}
