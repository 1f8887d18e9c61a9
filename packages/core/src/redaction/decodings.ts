/** A text with escapes undone. */
interface Decoded {
  readonly text: string;
  /** Where the character at that index was. */
  origin(index: number): number;
}

/** Undoes one kind of escape; `undefined` when none of them could matter. */
export type Decoder = (text: string, matters: (unit: number) => boolean) => Decoded | undefined;

/** The characters that one-letter escapes stand for. */
const letters: Readonly<Record<string, string>> = {
  '"': '"',
  "/": "/",
  "\\": "\\",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

const slash = 0x5c;
const percentSign = 0x25;
const ampersand = 0x26;

/**
 * Undoes the escapes of JSON strings (RFC 8259, section 7), wherever in a text they stand, and those of
 * the same kind in other languages: `\x41`, `\u{41}` and `\U00000041`.
 */
export const fromJson: Decoder = (text, matters) => {
  let at = text.indexOf("\\");
  if (at === -1) return undefined;
  const parts = new Parts(text);
  while (at !== -1) {
    const next = text.charAt(at + 1);
    const digits = countDigits(next, text, at + 2);
    const code = digits === 0 ? -1 : hex(text, at + 2 + (digits < 0 ? 1 : 0), Math.abs(digits));
    const char = code === -1 || code > 0x10ffff ? letters[next] : String.fromCodePoint(code);
    if (char === undefined) {
      at = text.indexOf("\\", at + 1);
      continue;
    }
    const length = code === -1 ? 2 : 2 + (digits < 0 ? 2 - digits : digits);
    const unit = char.charCodeAt(0);
    const part =
      matters(unit) ||
      unit === percentSign ||
      (unit === ampersand && /[#a-z]/i.test(text.charAt(at + length))) ||
      (unit === slash && beginsEscape(text, at + length, matters)) ||
      (unit === 10 && isWrapped(text, text.startsWith("\\r", at - 2) ? at - 2 : at, at + length));
    parts.replace(at, at + length, char, part);
    at = text.indexOf("\\", at + length);
  }
  return parts.decoded();
};

/** The hexadecimal digits of an escape: 0 if it has none, negative if they stand in braces. */
function countDigits(letter: string, text: string, at: number): number {
  if (letter === "x") return 2;
  if (letter === "U") return 8;
  if (letter !== "u") return 0;
  if (text.charAt(at) !== "{") return 4;
  const end = text.slice(at, at + 8).indexOf("}");
  return end < 2 ? 0 : 1 - end;
}

/** No line of base64 is shorter: MIME has 76 characters (RFC 2045, section 6.8), PEM 64, others 60. */
const minLineLength = 60;
const base64Line = /^[\w+/-]+$/;

/** True when the text from `end` on continues with a line of base64 after the line that begins at `start`. */
function isWrapped(text: string, start: number, end: number): boolean {
  // Most lines differ from it in a few characters.
  return (
    start >= minLineLength &&
    isBase64(text.charCodeAt(start - 1)) &&
    isBase64(text.charCodeAt(end)) &&
    isBase64(text.charCodeAt(start - 20)) &&
    base64Line.test(text.slice(start - minLineLength, start))
  );
}

/** True for a character of base64 or base64url that is no padding. */
export function isBase64(unit: number): boolean {
  const lower = unit | 0x20;
  return (
    (lower >= 0x61 && lower <= 0x7a) ||
    (unit >= 0x2f && unit <= 0x39) ||
    unit === 0x2b ||
    unit === 0x2d ||
    unit === 0x5f
  );
}

/** Joins the lines of base64. */
export const fromLines: Decoder = (text) => {
  let at = text.indexOf("\n", minLineLength);
  if (at === -1) return undefined;
  const parts = new Parts(text);
  while (at !== -1) {
    const start = text.charCodeAt(at - 1) === 0x0d ? at - 1 : at;
    if (isWrapped(text, start, at + 1)) parts.replace(start, at + 1, "", true);
    at = text.indexOf("\n", at + minLineLength);
  }
  return parts.decoded();
};

/** True when what follows on a backslash, itself with escapes or without, makes an escape of it. */
function beginsEscape(text: string, at: number, matters: (unit: number) => boolean): boolean {
  const raw = text.charAt(at);
  const next = raw === "\\" ? text.charAt(at + 1) : raw;
  if (next === "u" || next === "x" || next === "U") return true;
  const char = raw === "\\" ? letters[letters[next] ?? ""] : letters[next];
  return char !== undefined && matters(char.charCodeAt(0));
}

/** Undoes percent-encoding (RFC 3986, section 2.1) of UTF-8; bytes that are none count as Latin-1. */
export const fromPercent: Decoder = (text, matters) => {
  let at = text.indexOf("%");
  if (at === -1) return undefined;
  const parts = new Parts(text);
  while (at !== -1) {
    const byte = percent(text, at);
    if (byte === -1) {
      const unit = /u/i.test(text.charAt(at + 1)) ? hex(text, at + 2, 4) : -1;
      // The form that JavaScript's `escape` writes (ECMA-262, annex B.2.1.1).
      if (unit !== -1) parts.replace(at, at + 6, String.fromCharCode(unit), matters(unit));
      at = text.indexOf("%", unit === -1 ? at + 1 : at + 6);
      continue;
    }
    const more = byte < 0xc2 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : byte < 0xf5 ? 3 : 0;
    let point = more === 0 ? byte : byte & (0x3f >> more);
    let read = 1;
    for (; read <= more; read++) {
      const next = percent(text, at + 3 * read);
      if (next === -1 || (next & 0xc0) !== 0x80) break;
      point = (point << 6) | (next & 0x3f);
    }
    if (read <= more || point > 0x10ffff) {
      point = byte;
      read = 1;
    }
    const char = String.fromCodePoint(point);
    // Behind %25, %26 and %5C another escape may begin.
    const isEscape = point === percentSign || point === ampersand || point === slash;
    parts.replace(at, at + 3 * read, char, isEscape || matters(char.charCodeAt(0)));
    at = text.indexOf("%", at + 3 * read);
  }
  return parts.decoded();
};

/** The end of a text that may be the beginning of an escape. */
export const unfinishedEscape: RegExp =
  /(?:\\+(?:u(?:[\da-fA-F]{0,3}|\{[\da-fA-F]{0,6})|U[\da-fA-F]{0,7}|x[\da-fA-F]?)?|&(?:#(?:\d{0,7}|[xX][\da-fA-F]{0,6})|a(?:mp?|pos?)?|[lg]t?|q(?:u(?:ot?)?)?)?|%[uU][\da-fA-F]{0,3}|(?:%[c-fC-F][\da-fA-F])?(?:%[89abAB][\da-fA-F]){0,2}(?:%[\da-fA-F]?)?)$/;

/** A text that is made of another one, part by part. */
export class Parts {
  readonly #text: string;
  readonly #parts: string[] = [];
  /** Where each replacement ends: in the new text, and in the old one. */
  readonly #ends: number[] = [];
  readonly #origins: number[] = [];
  #length = 0;
  #at = 0;
  #matters = false;

  constructor(text: string) {
    this.#text = text;
  }

  replace(start: number, end: number, by: string, matters: boolean): void {
    if (matters) this.#matters = true;
    this.#parts.push(this.#text.slice(this.#at, start), by);
    this.#length += start - this.#at + by.length;
    this.#ends.push(this.#length);
    this.#origins.push(end);
    this.#at = end;
  }

  decoded(): Decoded | undefined {
    if (!this.#matters) return undefined;
    const text = this.#parts.join("") + this.#text.slice(this.#at);
    return { text, origin: (index) => this.#origin(index) };
  }

  /** For what is within a replacement: where that begins. */
  #origin(index: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] as number) <= index) low = middle + 1;
      else high = middle;
    }
    const end = low === 0 ? 0 : (this.#ends[low - 1] as number);
    const origin = low === 0 ? 0 : (this.#origins[low - 1] as number);
    // Up to the next replacement nothing has moved.
    const next = low < this.#ends.length ? this.#start(low) : Infinity;
    return Math.min(origin + index - end, next);
  }

  #start(replacement: number): number {
    const before = replacement === 0 ? 0 : (this.#origins[replacement - 1] as number);
    return before + (this.#parts[2 * replacement] as string).length;
  }
}

function percent(text: string, at: number): number {
  return text.charCodeAt(at) === 0x25 ? hex(text, at + 1, 2) : -1;
}

/** The number that so many hexadecimal digits are; -1: they are none. */
function hex(text: string, at: number, digits: number): number {
  let value = 0;
  for (let index = at; index < at + digits; index++) {
    const unit = text.charCodeAt(index);
    const lower = unit | 0x20;
    const digit =
      unit >= 0x30 && unit <= 0x39 ? unit - 0x30 : lower >= 0x61 && lower <= 0x66 ? lower - 87 : -1;
    if (digit === -1) return -1;
    value = value * 16 + digit;
  }
  return value;
}
