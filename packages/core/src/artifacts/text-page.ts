import { bytesToBase64 } from "../text/base64.ts";
import { utf8Length, wellFormed } from "../text/utf8.ts";

/** UTF-16 units before and after a match. */
const around = 60;

/** A place where a text was found. */
export interface TextMatch {
  /** From 1. */
  readonly line: number;
  /** Bytes before the match. */
  readonly offset: number;
  /** The match with the text around it, in one line. */
  readonly text: string;
}

/**
 * Finds a text literally and case-insensitively, from the byte `offset` on.
 *
 * @param wanted not empty.
 */
export function* findText(
  text: string,
  wanted: string,
  offset: number = 0,
): Generator<TextMatch, void, undefined> {
  const pattern = new RegExp(wellFormed(wanted).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  let [seen, line, byte] = [0, 1, 0];
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const between = text.slice(seen, index);
    line += newLines(between);
    byte += utf8Length(between);
    seen = index;
    if (byte < offset) continue;
    yield { line, offset: byte, text: excerpt(text, index, found.length) };
  }
}

function newLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

function excerpt(text: string, index: number, length: number): string {
  const start = Math.max(0, index - around);
  const end = Math.min(text.length, index + Math.min(length, 200) + around);
  const within = wellFormed(text.slice(start, end)).replace(/\s+/g, " ");
  return `${start > 0 ? "…" : ""}${within}${end < text.length ? "…" : ""}`;
}

/** A page of a longer content, as a model reads it. */
export interface TextPage {
  readonly text: string;
  /** Its start and end, in bytes of the whole. */
  readonly start: number;
  readonly end: number;
  readonly isBase64: boolean;
}

/** The page to read. */
export interface TextPageRequest {
  /** Bytes of the whole. */
  readonly size: number;
  readonly offset: number;
  /** Of the page's text; at least one character is read. */
  readonly maxBytes: number;
  /** The content may be decoded as UTF-8. */
  readonly isText: boolean;
}

/**
 * Reads a page of text without splitting characters: an offset within one moves to its start. Content that is not text,
 * or not UTF-8, is returned as base64.
 *
 * @param read returns the bytes from an offset on; fewer only at the end.
 */
export async function readTextPage(
  read: (offset: number, length: number) => Promise<Uint8Array> | Uint8Array,
  { size, offset, maxBytes, isText }: TextPageRequest,
): Promise<TextPage> {
  if (isText) {
    const from = Math.max(0, offset - 3);
    const bytes = await read(from, offset - from + maxBytes + 4);
    const start = characterAt(bytes, offset - from);
    const end = Math.max(characterAt(bytes, start + maxBytes), nextCharacter(bytes, start));
    const text = decodeUtf8(bytes.subarray(start, end));
    if (text !== undefined) return { text, start: from + start, end: from + end, isBase64: false };
  }
  const bytes = await read(offset, Math.max(1, Math.floor(maxBytes / 4)) * 3);
  const end = Math.min(size, offset + bytes.byteLength);
  return { text: bytesToBase64(bytes), start: offset, end, isBase64: true };
}

/** Decodes UTF-8 completely; `undefined`: the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
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
