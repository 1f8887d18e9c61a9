import type { ContentBlock } from "../contract/content-block.ts";
import type { ToolOutput } from "../contract/tool-result.ts";
import { bytesToBase64 } from "../text/base64.ts";
import { decoded, essence, isTextType, sniffed } from "./media-type.ts";

const unknownType = "application/octet-stream";

/**
 * What bytes are to a model: an image or a sound when they begin like one or are said to be one; text
 * when they are said to be, or when nothing is said and they are valid UTF-8 without control
 * characters; a resource otherwise.
 *
 * @param mediaType as whoever has sent them says; empty: nobody did.
 * @param isCut there was more of them: the last character may be incomplete.
 */
export function bytesOutput(bytes: Uint8Array, mediaType = "", isCut = false): string | ToolOutput {
  const said = essence(mediaType);
  if (isTextType(said)) return decoded(bytes, mediaType, isCut);
  const type = sniffed(bytes) ?? (said === "" ? unknownType : said);
  const words = said === "" && type === unknownType ? asText(bytes, isCut) : undefined;
  return words ?? { content: [block(bytes, type)] };
}

function block(bytes: Uint8Array, mimeType: string): ContentBlock {
  const data = bytesToBase64(bytes);
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  return { type: "resource", resource: { uri: "result:1", mimeType, blob: data } };
}

/** What no text has: most of the control characters. */
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
