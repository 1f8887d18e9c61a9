import { bytesToBase64 } from "../text/base64.ts";

/** A part of something long, as a model reads it. */
export interface Page {
  readonly text: string;
  /** Where it begins and ends: bytes of the whole. */
  readonly start: number;
  readonly end: number;
  readonly isBase64: boolean;
}

/** Which part is asked for. */
export interface PageRequest {
  /** Bytes of the whole. */
  readonly size: number;
  readonly offset: number;
  /** Bytes that the page's text may take; at least one character is read. */
  readonly most: number;
  /** It may be read as UTF-8. */
  readonly isText: boolean;
}

/**
 * Reads a page of text, never half a character: an offset within one moves to its beginning. What is
 * no text, or no UTF-8, is base64.
 *
 * @param read the bytes from an offset on; fewer only at the end.
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

/** The text that UTF-8 stands for, to the last byte; `undefined`: it is none. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Where the character begins that the byte at `index` belongs to. */
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
