import type { CallInfo } from "../contract/call-info.ts";
import type { ToolOutput } from "../contract/tool-result.ts";
import type { StreamRedactor } from "../contract/redactor.ts";

/** By call and kind: what has passed. */
const passing = new WeakMap<CallInfo, Partial<Record<"progress" | "update", StreamRedactor>>>();

/** Redacts the next text of that kind that a call emits while it runs. */
export function redactStreamedText(
  execution: CallInfo,
  kind: "progress" | "update",
  text: string,
): string {
  const redactor = execution.redactor;
  if (redactor === undefined) return text;
  let kinds = passing.get(execution);
  if (kinds === undefined) passing.set(execution, (kinds = {}));
  return (kinds[kind] ??= redactor.streamRedactor()).next(text);
}

/** An update, as far as its texts may pass. */
export function redactStreamedOutput(execution: CallInfo, output: ToolOutput): ToolOutput {
  let changed = false;
  const content = output.content.map((block) => {
    if (block.type !== "text") return block;
    const text = redactStreamedText(execution, "update", block.text);
    if (text === block.text) return block;
    changed = true;
    return { ...block, text };
  });
  return changed ? { ...output, content } : output;
}
