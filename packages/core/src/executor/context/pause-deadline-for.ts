import type { ToolContext } from "../../contract/tool.ts";
import { ExecutionContext } from "./tool-context.ts";

/**
 * What a person says whom a running tool asks by other means than a suspension. For adapters: until it is there, the
 * call's time does not pass.
 *
 * @param ctx of the call; of anything else the answer is only waited for.
 */
export function pauseDeadlineFor<T>(
  ctx: Pick<ToolContext, "signal">,
  answer: PromiseLike<T>,
): PromiseLike<T> {
  return ctx instanceof ExecutionContext ? ctx.whileAsking(answer) : answer;
}
