import { text } from "../contract/content-block.ts";
import type { JsonValue } from "../json/json.ts";
import type { ToolOutput } from "../contract/tool-result.ts";
import { truncateUtf8, utf8Length } from "../text/truncate-utf8.ts";
import { bytesOf, toJson, maxBytes, wellFormedValue, type Cut } from "../json/to-json.ts";
import { bytesOutput } from "./bytes-output.ts";
import { isBlockList, isOutput, properOutput } from "./proper-output.ts";
import { wellFormed } from "../text/well-formed.ts";

/**
 * Converts the return value of a tool to an output. Text is content; content blocks are content; bytes are an image, a
 * sound, a text or a resource; an object with a `content` array of blocks and no foreign member is an output; anything
 * else is a JSON value, with its text as content. A value over `limit` is content only, since half a value is a
 * different one.
 *
 * @param structured the tool has an output schema: text is its value, too.
 * @param limit bytes that are read. Default: 33,554,432.
 * @param cut set when there was more.
 */
export function toOutput(
  returned: unknown,
  structured = false,
  limit: number = maxBytes,
  cut: Cut = { truncated: false },
): ToolOutput {
  if (typeof returned === "string") return textOutput(returned, structured, limit, cut);
  if (returned === undefined) return { content: [] };
  if (typeof returned === "number" && Number.isFinite(returned)) {
    return { content: [text(`${returned}`)], value: returned };
  }
  if (typeof returned === "object" && returned !== null) {
    const output = ofObject(returned, structured, limit, cut);
    if (output !== undefined) return output;
  }
  const value = toJson(returned, limit, cut);
  const json = JSON.stringify(value);
  // So is half a character written, and little else.
  if (!json.includes("\\ud")) return valueOutput(value, json, limit, cut);
  const whole = wellFormedValue(value, limit);
  return valueOutput(whole, JSON.stringify(whole), limit, cut);
}

/** Undefined: it is a JSON value, or cannot be read. */
function ofObject(
  returned: object,
  structured: boolean,
  limit: number,
  cut: Cut,
): ToolOutput | undefined {
  try {
    if (isBlockList(returned) && returned.length > 0) {
      return properOutput({ content: returned }, limit, cut);
    }
    if (isOutput(returned)) return properOutput(returned, limit, cut);
    const bytes = bytesOf(returned);
    return bytes && ofBytes(bytes, structured, limit, cut);
  } catch {
    return undefined;
  }
}

function ofBytes(bytes: Uint8Array, structured: boolean, limit: number, cut: Cut): ToolOutput {
  const isCut = bytes.length > limit;
  if (isCut) cut.truncated = true;
  const output = bytesOutput(bytes.subarray(0, limit), "", isCut);
  return typeof output === "string" ? textOutput(output, structured, limit, cut) : output;
}

function textOutput(returned: string, structured: boolean, limit: number, cut: Cut): ToolOutput {
  const kept = wellFormed(within(returned, limit, cut));
  return structured && !cut.truncated
    ? { content: [text(kept)], value: kept }
    : { content: [text(kept)] };
}

/** A value and its text. */
function valueOutput(value: JsonValue, json: string, limit: number, cut: Cut): ToolOutput {
  const content = [text(within(json, limit, cut))];
  return cut.truncated ? { content } : { content, value };
}

/** The part of a text within the limit. */
function within(value: string, limit: number, cut: Cut): string {
  // No unit takes more than three bytes: most texts need no counting.
  if (value.length * 3 <= limit) return value;
  if (value.length <= limit && utf8Length(value) <= limit) return value;
  cut.truncated = true;
  return truncateUtf8(value.slice(0, limit + 1), limit);
}
