import { LineTruncator, isInvalidText } from "../messages/read-message.ts";
import { maxMessageBytes } from "../messages/channel.ts";

/** Bytes of an unfinished line after which the server is given up. */
const maxLineBytes = 256 * 1024 * 1024;

/** Bytes of the buffer that is reused for the next line. */
const maxReusedBytes = 1024 * 1024;

const newline = 10;

/** Listener of a `LineReader`. */
export interface LineListener {
  /** Called with a line that is not blank. */
  onLine(line: string): void;
  /** Called when a line of more than 64 MiB has ended. */
  onTruncated(line: LineTruncator): void;
  /** Called before a line that was not valid UTF-8: it has replacement characters. */
  onInvalidText?(line: string): void;
}

/** Splits chunks of UTF-8 into lines. Its memory is bounded. */
export class LineReader {
  readonly #listener: LineListener;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;
  #cut: LineTruncator | undefined;

  constructor(listener: LineListener) {
    this.#listener = listener;
  }

  /** Reads a chunk. False: a line exceeds 256 MiB, and nothing more is read. */
  read(chunk: Buffer): boolean {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      if (this.#length > 0 || this.#cut !== undefined) this.#finish(chunk.subarray(start, end));
      else if (end > start) this.#emit(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#append(chunk.subarray(start));
    return this.#cut === undefined || this.#cut.length <= maxLineBytes;
  }

  #finish(last: Buffer): void {
    this.#append(last);
    const cut = this.#cut;
    const line = this.#buffer.subarray(0, this.#length);
    this.#cut = undefined;
    this.#length = 0;
    if (this.#buffer.length > maxReusedBytes) this.#buffer = Buffer.alloc(0);
    if (cut === undefined) this.#emit(line);
    else this.#listener.onTruncated(cut);
  }

  /** Appends to the unfinished line. Each byte is copied a few times at most, however small the parts are. */
  #append(part: Buffer): void {
    if (this.#cut !== undefined) return this.#cut.add(part);
    const length = this.#length + part.length;
    if (length > maxMessageBytes) {
      this.#cut = new LineTruncator(this.#buffer.subarray(0, this.#length));
      this.#cut.add(part);
      this.#buffer = Buffer.alloc(0);
      return;
    }
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.length, 4_096));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    part.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  #emit(bytes: Buffer): void {
    const line = bytes.toString();
    if (line.trim() === "") return;
    if (isInvalidText(line, bytes)) this.#listener.onInvalidText?.(line);
    this.#listener.onLine(line);
  }
}

/**
 * Returns the end of a text from the beginning of a word on: a secret that is cut in half could not be redacted.
 *
 * @param max Maximum number of characters.
 */
export function takeEnd(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = text.slice(-max);
  const space = end.search(/\s/);
  return space === -1 ? "" : end.slice(space + 1);
}

/**
 * Returns the beginning of a text up to the end of a word: a secret that is cut in half could not be redacted.
 *
 * @param max Maximum number of characters.
 */
export function takeBeginning(text: string, max: number): string {
  if (text.length <= max) return text;
  const space = text.slice(0, max + 1).search(/\s\S*$/);
  return space === -1 ? "" : `${text.slice(0, space)} …`;
}

/** The end of a text of any length that arrives in chunks. */
export class TextTail {
  readonly #max: number;
  #text = "";

  /** @param max Characters that are stored. */
  constructor(max: number) {
    this.#max = max;
  }

  add(text: string): void {
    // One more than is returned, by which a longer text is recognized.
    const stored = this.#max + 1;
    this.#text = (this.#text + text.slice(-stored)).slice(-stored);
  }

  get text(): string {
    return takeEnd(this.#text, this.#max).trim();
  }
}
