/** Bytes of either end that are kept. */
const mostKept = 4_096;

/** Members that stand before or behind the large one. */
const member = String.raw`"(?:[^"\\]|\\.){0,200}"\s*:\s*(?:"(?:[^"\\]|\\.){0,200}"|-?[\d.eE+]{1,30}|true|false|null)\s*`;
const before = new RegExp(String.raw`^\s*\{\s*((?:${member},\s*)*)"`);
const behind = new RegExp(String.raw`,\s*(${member}(?:,\s*${member})*)\}\s*$`);

/** A line that is too long to be kept: its two ends. */
export class LineTruncator {
  readonly #head: Buffer;
  #tail: Buffer;
  #length: number;

  /** @param begun what has come of it so far. */
  constructor(begun: Buffer) {
    this.#head = Buffer.from(begun.subarray(0, mostKept));
    this.#tail = Buffer.from(begun.subarray(-mostKept));
    this.#length = begun.length;
  }

  /** Of a text that is there, and too much. */
  static of(text: string): LineTruncator {
    const line = new LineTruncator(Buffer.from(text.slice(0, mostKept)));
    line.add(Buffer.from(text.slice(-mostKept)));
    return line;
  }

  /** Bytes of the whole line. */
  get length(): number {
    return this.#length;
  }

  /** How it begins. */
  get beginning(): string {
    return this.#head.toString("utf8");
  }

  add(part: Buffer): void {
    this.#length += part.length;
    this.#tail =
      part.length >= mostKept
        ? Buffer.from(part.subarray(-mostKept))
        : Buffer.concat([this.#tail, part]).subarray(-mostKept);
  }

  /**
   * Whose answer it is, where its `id` stands before or behind what makes it long; `undefined`: it cannot be seen, or it
   * is no answer.
   */
  get answeredId(): string | number | undefined {
    const members = {
      ...membersOf(before.exec(this.beginning)?.[1]),
      ...membersOf(behind.exec(this.#tail.toString("utf8"))?.[1]),
    };
    const { id, method } = members;
    if (method !== undefined) return undefined;
    return typeof id === "string" || typeof id === "number" ? id : undefined;
  }
}

function membersOf(found: string | undefined): Record<string, unknown> {
  try {
    return JSON.parse(`{${(found ?? "").trim().replace(/,$/, "")}}`) as Record<string, unknown>;
  } catch {
    return {};
  }
}
