/** Bytes of either end that are stored. */
const maxEndBytes = 4_096;

/** Members before or after the large one. */
const member = String.raw`"(?:[^"\\]|\\.){0,200}"\s*:\s*(?:"(?:[^"\\]|\\.){0,200}"|-?[\d.eE+]{1,30}|true|false|null)\s*`;
const before = new RegExp(String.raw`^\s*\{\s*((?:${member},\s*)*)"`);
const behind = new RegExp(String.raw`,\s*(${member}(?:,\s*${member})*)\}\s*$`);

/** The two ends of a line that is too long to be stored. */
export class LineTruncator {
  readonly #head: Buffer;
  #tail: Buffer;
  #length: number;

  /** @param begun The part of the line received so far. */
  constructor(begun: Buffer) {
    this.#head = Buffer.from(begun.subarray(0, maxEndBytes));
    this.#tail = Buffer.from(begun.subarray(-maxEndBytes));
    this.#length = begun.length;
  }

  /** Truncates a complete text. */
  static of(text: string): LineTruncator {
    const line = new LineTruncator(Buffer.from(text.slice(0, maxEndBytes)));
    line.add(Buffer.from(text.slice(-maxEndBytes)));
    return line;
  }

  /** Bytes of the full line. */
  get length(): number {
    return this.#length;
  }

  /** Beginning of the line. */
  get beginning(): string {
    return this.#head.toString("utf8");
  }

  add(part: Buffer): void {
    this.#length += part.length;
    this.#tail =
      part.length >= maxEndBytes
        ? Buffer.from(part.subarray(-maxEndBytes))
        : Buffer.concat([this.#tail, part]).subarray(-maxEndBytes);
  }

  /**
   * Id of the response, if it comes before or after the large member; `undefined`: it cannot be found, or the line is
   * not a response.
   */
  get answeredId(): string | number | undefined {
    const members = {
      ...parseMembers(before.exec(this.beginning)?.[1]),
      ...parseMembers(behind.exec(this.#tail.toString("utf8"))?.[1]),
    };
    const { id, method } = members;
    if (method !== undefined) return undefined;
    return typeof id === "string" || typeof id === "number" ? id : undefined;
  }
}

function parseMembers(found: string | undefined): Record<string, unknown> {
  try {
    return JSON.parse(`{${(found ?? "").trim().replace(/,$/, "")}}`) as Record<string, unknown>;
  } catch {
    return {};
  }
}
