import { visibleText } from "@toolweave/core/adapter";

/** The bytes of an output that are kept: its beginning and its end. Both are in buffers that are made once. */
export class OutputBuffer {
  readonly #head: Buffer;
  /** A ring: the next byte comes to the place `#end`. */
  readonly #tail: Buffer;
  #headLength = 0;
  #tailLength = 0;
  #end = 0;
  /** Number of bytes of the output. */
  length = 0;

  constructor(maxHead: number, maxTail: number) {
    this.#head = Buffer.alloc(maxHead);
    this.#tail = Buffer.alloc(maxTail);
  }

  /** Adds a part, of which it keeps a copy. */
  add(chunk: Buffer): void {
    this.length += chunk.length;
    const taken = chunk.copy(this.#head, this.#headLength);
    this.#headLength += taken;
    const size = this.#tail.length;
    const rest = chunk.subarray(Math.max(taken, chunk.length - size));
    const first = rest.copy(this.#tail, this.#end);
    rest.copy(this.#tail, 0, first);
    this.#end = (this.#end + rest.length) % size;
    this.#tailLength = Math.min(size, this.#tailLength + rest.length);
  }

  /** Whether a part between the beginning and the end is missing. */
  get isCut(): boolean {
    return this.length > this.#headLength + this.#tailLength;
  }

  /** The beginning and the end; the end is empty while everything is in the beginning. */
  get parts(): { readonly head: Buffer; readonly tail: Buffer } {
    const start = this.#end - this.#tailLength;
    const tail =
      start >= 0
        ? Buffer.from(this.#tail.subarray(start, this.#end))
        : Buffer.concat([this.#tail.subarray(start), this.#tail.subarray(0, this.#end)]);
    return { head: Buffer.from(this.#head.subarray(0, this.#headLength)), tail };
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
 * state of a line that a program has written again and again. Bytes that are not UTF-8 are `\xNN`.
 */
export function toOutputText(bytes: Buffer): string {
  return visibleText(
    decode(bytes).replace(/\r+\n/g, "\n").split("\n").map(lastOverwrite).join("\n"),
  );
}

/**
 * A progress bar writes one line again and again: of states that differ in digits and signs only, the last one is kept, and
 * the others are counted unless the signs are those of a progress bar. Other carriage returns end lines of a text, such as
 * the rows of a table.
 */
function lastOverwrite(line: string): string {
  if (!line.includes("\r")) return line;
  const states = line.split("\r").filter((part) => part.trim() !== "");
  const kept: string[] = [];
  let replaced = 0;
  for (const [index, state] of states.entries()) {
    const next = states[index + 1];
    const words = getWords(state);
    const isBar = progressSigns.test(state);
    if (next !== undefined && words === getWords(next) && (isBar || words !== "")) {
      replaced += isBar ? 0 : 1;
      continue;
    }
    kept.push(replaced === 0 ? state : `${state} [overwrote ${replaced}]`);
    replaced = 0;
  }
  return kept.join("\n");
}

/** Signs of progress bars, block elements and the braille patterns of spinners. */
const progressSigns = /[%#=/|\\\u2580-\u259f\u2800-\u28ff]/u;

function getWords(text: string): string {
  return text.match(/\p{L}+/gu)?.join(" ") ?? "";
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
