import { LineTruncator } from "../messages/truncate-line.ts";
import { isInvalidText } from "../messages/invalid-text.ts";
import { maxMessageBytes } from "../messages/channel.ts";

/** Bytes of a line that is not kept, before whoever writes it is given up. */
const mostOfAny = 256 * 1024 * 1024;

/** Room that is kept from one line for the next. */
const mostKept = 1024 * 1024;

const newline = 10;

/** What becomes of lines. */
export interface LineListener {
  /** A line that is not blank. */
  onLine(line: string): void;
  /** A line of more than 64 MiB has ended. */
  onCut(line: LineTruncator): void;
  /** The line that comes next was not valid UTF-8: it has replacement characters. */
  onInvalidText?(line: string): void;
}

/** Makes lines of chunks of UTF-8. What it holds is bounded, whatever comes. */
export class LineReader {
  readonly #listener: LineListener;
  #held: Buffer = Buffer.alloc(0);
  #length = 0;
  #cut: LineTruncator | undefined;

  constructor(listener: LineListener) {
    this.#listener = listener;
  }

  /** Takes a chunk. False: a line goes on for more than 256 MiB, and nothing more is read. */
  read(chunk: Buffer): boolean {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      if (this.#length > 0 || this.#cut !== undefined) this.#finish(chunk.subarray(start, end));
      else if (end > start) this.#tell(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
    return this.#cut === undefined || this.#cut.length <= mostOfAny;
  }

  #finish(last: Buffer): void {
    this.#hold(last);
    const cut = this.#cut;
    const line = this.#held.subarray(0, this.#length);
    this.#cut = undefined;
    this.#length = 0;
    if (this.#held.length > mostKept) this.#held = Buffer.alloc(0);
    if (cut === undefined) this.#tell(line);
    else this.#listener.onCut(cut);
  }

  /** However small the pieces are, each byte is copied a few times at most. */
  #hold(part: Buffer): void {
    if (this.#cut !== undefined) return this.#cut.add(part);
    const length = this.#length + part.length;
    if (length > maxMessageBytes) {
      this.#cut = new LineTruncator(this.#held.subarray(0, this.#length));
      this.#cut.add(part);
      this.#held = Buffer.alloc(0);
      return;
    }
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#held.length, 4_096));
      this.#held.copy(larger, 0, 0, this.#length);
      this.#held = larger;
    }
    part.copy(this.#held, this.#length);
    this.#length = length;
  }

  #tell(bytes: Buffer): void {
    const line = bytes.toString();
    if (line.trim() === "") return;
    if (isInvalidText(line, bytes)) this.#listener.onInvalidText?.(line);
    this.#listener.onLine(line);
  }
}
