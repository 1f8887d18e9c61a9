import { isUtf8 } from "node:buffer";
import { allocateChunk, carriageReturn, lineFeed, type ByteSource } from "./read-lines.ts";

/** The properties of a text that only all of its bytes show. */
export interface TextShape {
  readonly isUtf8: boolean;
  /** The byte that ends its lines: a line feed, or a carriage return in a text without line feeds. */
  readonly lineEnd: number;
}

const chunkBytes = 1024 * 1024;

/**
 * Examines all bytes of a file in a small amount of memory, so that reading has the same idea of its encoding and of its
 * lines as searching and editing, which have the whole file.
 *
 * @param signal stops it; the promise rejects with its reason.
 */
export async function examineText(source: ByteSource, signal: AbortSignal): Promise<TextShape> {
  const buffer = allocateChunk(source, chunkBytes);
  let isValid = true;
  let hasLineFeed = false;
  let hasReturn = false;
  let position = 0;
  // Bytes of a character that the end of a chunk has cut.
  let rest = 0;
  while (isValid || !hasLineFeed) {
    signal.throwIfAborted();
    const length = await source.read(buffer.subarray(rest), position);
    if (length === 0) break;
    position += length;
    const chunk = buffer.subarray(0, rest + length);
    hasLineFeed ||= chunk.includes(lineFeed);
    hasReturn ||= chunk.includes(carriageReturn);
    const end = position >= source.size ? chunk.length : endOfCharacters(chunk);
    isValid &&= isUtf8(chunk.subarray(0, end));
    rest = isValid ? chunk.copy(buffer, 0, end) : 0;
  }
  const isReturned = hasReturn && !hasLineFeed;
  return { isUtf8: isValid && rest === 0, lineEnd: isReturned ? carriageReturn : lineFeed };
}

/** The place behind the last character that is not cut, as far as the bytes are UTF-8. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
