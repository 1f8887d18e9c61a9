import type { ToolOutput } from "../../contract/tool-result.ts";
import type { CallState } from "../call/call-state.ts";
import { framedContent } from "../call/framed-content.ts";

/** Stage 10, last: marks content from outside as data. */
export function frame(execution: CallState, output: ToolOutput): ToolOutput {
  const content = framedContent(execution, output.content);
  return content === output.content ? output : { ...output, content };
}
