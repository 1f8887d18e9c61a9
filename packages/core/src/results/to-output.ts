import { text, type ContentBlock } from "../contract/content-block.ts";
import type { JsonValue } from "../json/json.ts";
import type { ToolOutput } from "../contract/tool-result.ts";
import { truncateUtf8, utf8Length, wellFormed } from "../text/utf8.ts";
import { viewBytes, toJson, maxBytes, wellFormedValue, type Cut } from "../json/to-json.ts";
import { isBlockList, isOutput, properOutput } from "./proper-output.ts";
import { bytesToBase64 } from "../text/base64.ts";
import { decodeText, getMediaTypeName, isReadableMediaType, sniffMediaType } from "./media-type.ts";

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
    const bytes = viewBytes(returned);
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

const unknownType = "application/octet-stream";

/**
 * Converts bytes to an output for a model: an image or a sound if they begin like one or are declared as one; text if
 * they are declared as text, or if nothing is declared and they are valid UTF-8 without control characters; a resource
 * otherwise.
 *
 * @param mediaType as the sender declares it; empty: not declared.
 * @param isCut there was more of them: the last character may be incomplete.
 */
export function bytesOutput(bytes: Uint8Array, mediaType = "", isCut = false): string | ToolOutput {
  const said = getMediaTypeName(mediaType);
  if (isReadableMediaType(said)) return decodeText(bytes, mediaType, isCut);
  const type = sniffMediaType(bytes) ?? (said === "" ? unknownType : said);
  const words = said === "" && type === unknownType ? asText(bytes, isCut) : undefined;
  return words ?? { content: [block(bytes, type)] };
}

function block(bytes: Uint8Array, mimeType: string): ContentBlock {
  const data = bytesToBase64(bytes);
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  return { type: "resource", resource: { uri: "result:1", mimeType, blob: data } };
}

/** Characters that no text contains: most of the control characters. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const control = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

function asText(bytes: Uint8Array, isCut: boolean): string | undefined {
  // Most of what is no text shows it soon.
  if (bytes.subarray(0, 4096).includes(0)) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
    return control.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
