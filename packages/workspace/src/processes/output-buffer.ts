import { visibleText } from "@toolweave/core/adapter";

/** The bytes of an output that are kept: its beginning and its end. */
export class OutputBuffer {
  readonly #maxHead: number;
  readonly #maxTail: number;
  #head: Buffer[] = [];
  #headLength = 0;
  #tail: Buffer[] = [];
  #tailLength = 0;
  /** Number of bytes of the output. */
  length = 0;

  constructor(maxHead: number, maxTail: number) {
    this.#maxHead = maxHead;
    this.#maxTail = maxTail;
  }

  add(chunk: Buffer): void {
    this.length += chunk.length;
    const fitting = Math.min(chunk.length, this.#maxHead - this.#headLength);
    if (fitting > 0) {
      this.#head.push(chunk.subarray(0, fitting));
      this.#headLength += fitting;
    }
    if (fitting === chunk.length) return;
    const rest = fitting > 0 ? chunk.subarray(fitting) : chunk;
    // A copy: a part of a chunk would keep all of it.
    const kept = Buffer.from(
      rest.length > this.#maxTail ? rest.subarray(rest.length - this.#maxTail) : rest,
    );
    this.#tail.push(kept);
    this.#tailLength += kept.length;
    while (this.#tailLength - (this.#tail[0] as Buffer).length >= this.#maxTail) {
      this.#tailLength -= (this.#tail.shift() as Buffer).length;
    }
  }

  /** Whether a part between the beginning and the end is missing. */
  get isCut(): boolean {
    return this.length > this.#headLength + this.#tailLength;
  }

  /** The beginning and the end; the end is empty while everything is in the beginning. */
  get parts(): { readonly head: Buffer; readonly tail: Buffer } {
    const tail = Buffer.concat(this.#tail);
    const excess = Math.max(0, tail.length - this.#maxTail);
    return { head: Buffer.concat(this.#head), tail: this.isCut ? tail.subarray(excess) : tail };
  }

  /** The last bytes of the output. */
  last(bytes: number): Buffer {
    const { head, tail } = this.parts;
    const all = tail.length >= bytes ? tail : Buffer.concat([head, tail]);
    return all.subarray(Math.max(0, all.length - bytes));
  }
}

/**
 * The output of a command as a text that a person would see: without control sequences of terminals, with the last
 * content of each line that was overwritten. Bytes that are not UTF-8 are `\xNN`.
 */
export function toOutputText(bytes: Buffer): string {
  return visibleText(
    decode(bytes).replace(/\r+\n/g, "\n").split("\n").map(lastOverwrite).join("\n"),
  );
}

/** A progress bar writes one line again and again. */
function lastOverwrite(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").findLast((part) => part.trim() !== "") ?? "";
}

function decode(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  if (!text.includes("\ufffd")) return text;
  let result = "";
  let at = 0;
  while (at < bytes.length) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      result += `\\x${(bytes[at] as number).toString(16).padStart(2, "0")}`;
      at += 1;
    } else {
      result += bytes.toString("utf8", at, at + length);
      at += length;
    }
  }
  return result;
}

/** The number of bytes of the character of UTF-8 at a place; 0: there is none. */
function characterLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] as number;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > bytes.length) return 0;
  return bytes.toString("utf8", at, at + length).includes("\ufffd") ? 0 : length;
}
