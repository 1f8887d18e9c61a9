import { StringDecoder } from "node:string_decoder";

/** Characters of one line at most. */
const mostOfLine = 64 * 1024 * 1024;

/** Makes lines of chunks of UTF-8. */
export class LineReader {
  readonly #decoder = new StringDecoder("utf8");
  readonly #onLine: (line: string) => void;
  #begun: string[] = [];
  #length = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Takes a chunk. False: a line is too long, and nothing more is read. */
  read(chunk: Buffer): boolean {
    const [first = "", ...lines] = this.#decoder.write(chunk).split("\n");
    this.#begun.push(first);
    this.#length += first.length;
    if (this.#length > mostOfLine) return false;
    for (const line of lines) {
      const whole = this.#begun.join("");
      this.#begun = [line];
      this.#length = line.length;
      if (whole.trim() !== "") this.#onLine(whole);
    }
    return true;
  }
}
