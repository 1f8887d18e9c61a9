import type { ContentBlock } from "../contract/content-block.ts";
import type { ToolOutput } from "../contract/tool-result.ts";
import { bytesToBase64 } from "../text/base64.ts";
import { decodeText, getMediaTypeName, isReadableMediaType, sniffMediaType } from "./media-type.ts";

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
