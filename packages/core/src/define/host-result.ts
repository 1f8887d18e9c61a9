import { suspend } from "../contract/interruption.ts";
import { ToolError } from "../contract/tool-error.ts";
import type { ToolContext, ToolReturn } from "../contract/tool.ts";
import type { JsonObject } from "../json/json.ts";

/**
 * Runs a tool without code of its own: it suspends with a request for the result, and when the call is resumed, returns
 * the result that the host has passed.
 *
 * @throws ToolError `approval_rejected` if the host has passed none.
 */
export function requestHostResult(args: JsonObject, ctx: ToolContext): ToolReturn {
  const answer = ctx.resumed?.answers[0];
  if (answer === undefined) {
    return suspend([{ id: `${ctx.callId}:result`, type: "result", arguments: args }], null);
  }
  if (answer.type === "result") return answer.value;
  const reason =
    answer.type === "reject" ? (answer.reason ?? "no reason given") : "no result given";
  throw new ToolError("approval_rejected", `${ctx.toolName} was not run by the host: ${reason}.`);
}
