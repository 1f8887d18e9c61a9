import type { Redactor } from "../../contract/redactor.ts";
import type { ToolOutput } from "../../contract/tool-result.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "../call/call-state.ts";
import { framedContent } from "../call/framed-content.ts";

/** Stage 10, second half: redacts secrets. An output that cannot be searched for them is withheld. */
export function redact(execution: CallState, output: ToolOutput): ToolOutput {
  try {
    const redactor = execution.redactor;
    if (redactor === undefined) return output;
    return redactor.output(execution.truncated ? withoutBegun(redactor, output) : output);
  } catch (cause) {
    throw new ToolError(
      "internal",
      `${execution.call.name} did run, but its answer is withheld, since it could not be searched for secrets: do not repeat the call before checking what it did.`,
      { cause },
    );
  }
}

/** Removes the beginning of a secret at the end of a truncated output, whose rest would be needed to recognize it. */
function withoutBegun(redactor: Redactor, output: ToolOutput): ToolOutput {
  const content = output.content.map((block) =>
    block.type === "text" ? { ...block, text: redactor.streamRedactor().next(block.text) } : block,
  );
  return { ...output, content };
}

/** Stage 10, last: marks content from outside as data. */
export function frame(execution: CallState, output: ToolOutput): ToolOutput {
  const content = framedContent(execution, output.content);
  return content === output.content ? output : { ...output, content };
}
