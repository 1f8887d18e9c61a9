import { framed } from "../../framing/frame.ts";
import { builtInSource } from "../../contract/tool-names.ts";
import type { ContentBlock } from "../../contract/content-block.ts";
import type { ToolSpec } from "../../contract/tool-spec.ts";
import type { CallState } from "./call-state.ts";

/** Frames content for the model. Returns it unchanged when it is the host's own, or framing is off. */
export function framedContent(
  { engine, entry, call }: CallState,
  content: readonly ContentBlock[],
): readonly ContentBlock[] {
  if (!engine.frameOutputs || content.length === 0 || entry === undefined) return content;
  const { trusted, source, tool } = entry;
  if (trusted && isOwn(source, tool.spec)) return content;
  return framed(call.name, content);
}

/** A built-in tool returns the output of another tool; only the result of a task has been framed already. */
function isOwn(source: string, { name, annotations }: ToolSpec): boolean {
  return source === builtInSource ? name === "task_result" : annotations.openWorldHint === false;
}
