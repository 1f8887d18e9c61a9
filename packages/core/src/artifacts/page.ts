import { bytesToBase64 } from "../text/base64.ts";

/** A page of a longer content, as a model reads it. */
export interface Page {
  readonly text: string;
  /** Its start and end, in bytes of the whole. */
  readonly start: number;
  readonly end: number;
  readonly isBase64: boolean;
}

/** The page to read. */
export interface PageRequest {
  /** Bytes of the whole. */
  readonly size: number;
  readonly offset: number;
  /** Maximum bytes of the page's text; at least one character is read. */
  readonly most: number;
  /** The content may be decoded as UTF-8. */
  readonly isText: boolean;
}

/**
 * Reads a page of text without splitting characters: an offset within one moves to its start. Content that is not text,
 * or not UTF-8, is returned as base64.
 *
 * @param read returns the bytes from an offset on; fewer only at the end.
 */
export async function readPage(
  read: (offset: number, length: number) => Promise<Uint8Array> | Uint8Array,
  { size, offset, most, isText }: PageRequest,
): Promise<Page> {
  if (isText) {
    const from = Math.max(0, offset - 3);
    const bytes = await read(from, offset - from + most + 4);
    const start = characterAt(bytes, offset - from);
    const end = Math.max(characterAt(bytes, start + most), nextCharacter(bytes, start));
    const text = decodeText(bytes.subarray(start, end));
    if (text !== undefined) return { text, start: from + start, end: from + end, isBase64: false };
  }
  const bytes = await read(offset, Math.max(1, Math.floor(most / 4)) * 3);
  const end = Math.min(size, offset + bytes.byteLength);
  return { text: bytesToBase64(bytes), start: offset, end, isBase64: true };
}

/** Decodes UTF-8 completely; `undefined`: the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The start of the character that the byte at `index` belongs to. */
function characterAt(bytes: Uint8Array, index: number): number {
  if (index >= bytes.length) return bytes.length;
  let at = index;
  while (at > 0 && at > index - 3 && isContinuation(bytes[at])) at -= 1;
  return at;
}

function nextCharacter(bytes: Uint8Array, index: number): number {
  let at = Math.min(index + 1, bytes.length);
  while (at < bytes.length && at < index + 4 && isContinuation(bytes[at])) at += 1;
  return at;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
