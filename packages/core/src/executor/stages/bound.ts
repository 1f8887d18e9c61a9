import type { ContentBlock } from "../../spec/content-block.ts";
import type { ToolOutput } from "../../spec/tool-result.ts";
import { clipText, utf8Length } from "../clip-text.ts";
import type { Execution } from "../execution.ts";

/** Stage 10, second half: the model gets no more than the limit, and is told what it did not get. */
export function bound(execution: Execution): void {
  const output = execution.output as ToolOutput;
  const limit = execution.engine.maxOutputBytes;
  const [only] = output.content;
  // One short text is the ordinary case: no byte of it needs counting.
  if (output.content.length === 1 && only?.type === "text" && only.text.length * 3 <= limit) return;
  const total = output.content.reduce((sum, block) => sum + sizeOf(block), 0);
  if (total <= limit) return;
  execution.output = { ...output, content: clip(output.content, limit, total) };
}

function clip(content: readonly ContentBlock[], limit: number, total: number): ContentBlock[] {
  const note = `[cut: the whole output has ${total} bytes, of which ${limit} are shown; ask for less]`;
  let left = Math.max(0, limit - note.length);
  const kept: ContentBlock[] = [];
  for (const block of content) {
    if (left === 0) break;
    const size = sizeOf(block);
    if (size <= left) {
      kept.push(block);
      left -= size;
    } else if (block.type === "text") {
      kept.push({ ...block, text: clipText(block.text, left) });
      left = 0;
    } else {
      const what = clipText(`[${block.type} of ${size} bytes left out]`, left);
      kept.push({ type: "text", text: what });
      left -= what.length;
    }
  }
  return [...kept, { type: "text", text: clipText(note, limit) }];
}

function sizeOf(block: ContentBlock): number {
  switch (block.type) {
    case "text":
      return utf8Length(block.text);
    case "image":
    case "audio":
      return block.data.length;
    case "resource":
      return (
        utf8Length(block.resource.uri) +
        utf8Length(block.resource.text ?? "") +
        (block.resource.blob?.length ?? 0)
      );
    case "resource_link":
      return utf8Length(
        [block.uri, block.name, block.title ?? "", block.description ?? ""].join(""),
      );
  }
}
