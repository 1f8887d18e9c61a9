import { isUtf8 } from "node:buffer";
import { visibleText } from "@toolweave/core/adapter";

const replacement = "\uFFFD";
/** U+FFFD in UTF-8: a server may send it. */
const sent = Buffer.from(replacement);

/** Characters around the first invalid byte. */
const maxExcerpt = 60;

/** True if bytes were lost: the text has a replacement character, and the bytes are not valid UTF-8 (RFC 3629). */
export function isInvalidText(text: string, bytes: Uint8Array): boolean {
  return text.includes(replacement) && !isUtf8(bytes);
}

/**
 * The same for the chunks of a stream, whose first and last character may be incomplete: returns a function that calls
 * `onInvalidText` with the text of each invalid chunk.
 */
export function invalidChunkListener(
  onInvalidText: (text: string) => void,
): (text: string, chunk: Uint8Array) => void {
  /** The last two bytes of the previous chunk. */
  let before: Uint8Array = new Uint8Array(0);
  return (text, chunk) => {
    if (isInvalidChunk(text, chunk, before)) onInvalidText(text);
    before = chunk.length > 1 ? chunk.subarray(-2) : Buffer.concat([before, chunk]).subarray(-2);
  };
}

function isInvalidChunk(text: string, bytes: Uint8Array, before: Uint8Array): boolean {
  if (!text.includes(replacement)) return false;
  const all = Buffer.concat([before, bytes]);
  let valid = 0;
  for (let at = all.indexOf(sent); at !== -1; at = all.indexOf(sent, at + sent.length)) valid++;
  return text.split(replacement).length - 1 > valid;
}

/** The text around the first replacement character. */
export function toInvalidTextExcerpt(text: string): string {
  const at = Math.max(0, text.indexOf(replacement));
  const begin = Math.max(0, at - maxExcerpt / 2);
  const excerpt = text.slice(begin, at + maxExcerpt / 2);
  // Surrogate pairs are not split.
  return visibleText(excerpt.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, ""));
}
