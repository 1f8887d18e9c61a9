import { isUtf8 } from "node:buffer";
import { ToolError } from "@toolweave/core";

/** The encoding of a file's text. `latin1` also stands for bytes of no known encoding: each byte is one character. */
export type TextEncoding = "utf8" | "utf16le" | "utf16be" | "latin1";

/** The line ending of a text: of most of its lines, where they are mixed. */
export type LineEnding = "lf" | "crlf" | "cr" | "mixed" | "none";

/** How the bytes of a file are a text. */
export interface TextFormat {
  readonly encoding: TextEncoding;
  /** Number of bytes of the byte order mark. 0: there is none. */
  readonly bomBytes: number;
}

/** Bytes in which a NUL marks a binary file, as git has it. */
const examinedBytes = 8 * 1024;

/** The format of a file by its bytes; undefined: it is no text. */
export function detectFormat(bytes: Uint8Array): TextFormat | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) {
    const format: TextFormat = { encoding: isUtf8(bytes) ? "utf8" : "latin1", bomBytes: 3 };
    return hasNul(bytes) ? undefined : format;
  }
  // UTF-32 begins like UTF-16, and is no text here.
  const isUtf32 = first === 0xff && second === 0xfe && third === 0 && bytes[3] === 0;
  if (first === 0xff && second === 0xfe && !isUtf32) return { encoding: "utf16le", bomBytes: 2 };
  if (first === 0xfe && second === 0xff) return { encoding: "utf16be", bomBytes: 2 };
  if (hasNul(bytes)) return undefined;
  return { encoding: isUtf8(bytes) ? "utf8" : "latin1", bomBytes: 0 };
}

/** Whether a file is no text, by its first bytes. */
export function isBinary(bytes: Uint8Array): boolean {
  return !isWide(bytes) && hasNul(bytes);
}

/** Whether bytes begin with the byte order mark of UTF-16. */
export function isWide([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function hasNul(bytes: Uint8Array): boolean {
  return bytes.subarray(0, examinedBytes).includes(0);
}

/** The characters of bytes. `latin1` loses nothing: it is one character for each byte. */
export function decodeText(bytes: Uint8Array, { encoding, bomBytes }: TextFormat): string {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset + bomBytes, bytes.length - bomBytes);
  if (encoding !== "utf16be") return body.toString(encoding);
  return Buffer.from(body)
    .subarray(0, body.length & ~1)
    .swap16()
    .toString("utf16le");
}

/**
 * The bytes of a text in the encoding of a file, without a byte order mark.
 *
 * @throws ToolError `execution_failed` for a character that the encoding does not have, and for half of a character.
 */
export function encodeText(text: string, encoding: TextEncoding): Buffer {
  if (/\p{Surrogate}/u.test(text)) {
    throw new ToolError(
      "execution_failed",
      "The text contains half of a character (a lone surrogate), for which there are no bytes. Give whole characters.",
    );
  }
  if (encoding === "latin1") {
    // oxlint-disable-next-line no-control-regex -- all characters of one byte
    const other = /[^\u0000-\u00ff]/u.exec(text)?.[0];
    if (other === undefined) return Buffer.from(text, "latin1");
    throw new ToolError(
      "execution_failed",
      `The file is not UTF-8, so each of its bytes is one character, and "${other}" is none of them. Use characters up to U+00FF, or convert the file first.`,
    );
  }
  if (encoding === "utf16be") return Buffer.from(text, "utf16le").swap16();
  return Buffer.from(text, encoding);
}

/** The line ending of a text. */
export function detectLineEnding(text: string): LineEnding {
  const found = new Set(text.match(/\r\n|\n|\r/g));
  const [only] = found;
  if (only === undefined) return "none";
  if (found.size > 1) return "mixed";
  return only === "\n" ? "lf" : only === "\r" ? "cr" : "crlf";
}
