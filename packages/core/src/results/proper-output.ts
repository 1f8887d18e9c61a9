import { isContentBlock, text, type ContentBlock } from "../spec/content-block.ts";
import type { JsonValue } from "../spec/json.ts";
import type { ToolOutput } from "../spec/tool-result.ts";
import { clipText } from "../executor/clip-text.ts";
import { jsonValue, mostBytes, plainBytes, type Cut } from "../executor/json-value.ts";
import { isWellFormed, wellFormed } from "./well-formed.ts";

/**
 * An output that holds nothing but JSON, and no more of it than `limit` bytes. One that is so already
 * is given back as it is: blocks keep what they hold beside what is known of them. What is cut is
 * told: of a value nothing is left then, since half a value is another one.
 */
export function properOutput(
  output: ToolOutput,
  limit: number = mostBytes,
  cut: Cut = { truncated: false },
): ToolOutput {
  const { value, details, provider } = output;
  const content = properContent(output.content, limit, cut);
  const short: Cut = { truncated: false };
  const json = value === undefined ? undefined : jsonValue(value, limit, short);
  const kept = details === undefined ? undefined : jsonValue(details, limit);
  const from = provider === undefined ? undefined : jsonValue(provider, limit);
  if (short.truncated) cut.truncated = true;
  if (content === output.content && json === value && kept === details && from === provider) {
    return output;
  }
  const { value: _, ...rest } = output;
  return {
    ...rest,
    content,
    ...(json === undefined || short.truncated ? {} : { value: json }),
    ...(kept === undefined ? {} : { details: kept }),
    ...(from === undefined ? {} : { provider: from as NonNullable<ToolOutput["provider"]> }),
  };
}

function properContent(
  content: readonly ContentBlock[],
  limit: number,
  cut: Cut,
): readonly ContentBlock[] {
  const [only] = content;
  if (content.length === 1 && only !== undefined && isShortText(only, limit)) return content;
  if (plainBytes(content, limit) >= 0 && content.every(isWhole)) return content;
  const blocks: ContentBlock[] = [];
  let left = limit;
  for (const block of content) {
    if (left <= 0) {
      cut.truncated = true;
      break;
    }
    const proper = properBlock(block, left, cut);
    left -= Math.max(1, plainBytes(proper));
    blocks.push(proper);
  }
  return blocks;
}

/** The ordinary case: a text, and nothing beside it. */
function isShortText(block: ContentBlock, limit: number): boolean {
  if (block.type !== "text" || block.text.length > limit || !isWellFormed(block.text)) return false;
  for (const key in block) if (key !== "type" && key !== "text") return false;
  return true;
}

/** No character of its text is half. */
function isWhole(block: ContentBlock): boolean {
  return block.type !== "text" || isWellFormed(block.text);
}

function properBlock(block: ContentBlock, left: number, cut: Cut): ContentBlock {
  if (plainBytes(block, left) >= 0 && isWhole(block)) return block;
  if (block.type === "text" && block.text.length > left) {
    cut.truncated = true;
    return text(wellFormed(clipText(block.text.slice(0, left + 1), left)));
  }
  const short: Cut = { truncated: false };
  const given = block.type === "text" ? { ...block, text: wellFormed(block.text) } : block;
  const json: JsonValue = jsonValue(given, left, short);
  if (!short.truncated && isContentBlock(json)) return json;
  // Half of an image is none.
  cut.truncated = true;
  return text(`[${block.type} left out: it is more than is kept]`);
}
