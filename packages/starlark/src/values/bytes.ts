import { charge, chargeItems, chargeString, sizes } from "./budget.ts";
import { quote } from "./quote.ts";
import { codePoints, encodeCodePoint } from "./utf8.ts";
import { type HashKey, StarlarkObject, type Value } from "./value.ts";

/** A sequence of bytes that is not text. */
export class StarlarkBytes extends StarlarkObject {
  override readonly type = "bytes";
  /** The bytes, each as one character. */
  readonly data: string;

  constructor(data: string) {
    super();
    charge(sizes.object);
    this.data = data;
  }

  override get length(): number {
    return this.data.length;
  }

  override hashKey(): HashKey {
    return `\u0102${this.data}`;
  }

  override itemAt(index: number): Value {
    return new StarlarkBytes(this.data.charAt(index));
  }

  override slice(start: number, count: number, step: number): Value {
    return new StarlarkBytes(sliceText(this.data, start, count, step));
  }

  override represent(): string {
    return quote(this.data, true);
  }
}

/** `count` characters from `start` in steps of `step`. */
export function sliceText(text: string, start: number, count: number, step: number): string {
  chargeString(count);
  if (step === 1) return text.slice(start, start + count);
  chargeItems(count);
  return Array.from({ length: count }, (_, index) => text.charAt(start + index * step)).join("");
}

/** The result of `elems()` and its relatives: the bytes or the characters of a string or of bytes, as strings or as ints. */
export class ElementsView extends StarlarkObject {
  override readonly type: string;
  readonly #text: string;
  readonly #method: string;
  readonly #hasCharacters: boolean;
  readonly #hasInts: boolean;

  constructor(source: string | StarlarkBytes, method: string) {
    super();
    charge(sizes.object);
    const isOfBytes = typeof source !== "string";
    this.#text = isOfBytes ? source.data : source;
    this.#method = method;
    this.#hasCharacters = method.startsWith("codepoint");
    this.#hasInts = isOfBytes || method.endsWith("_ords");
    const kind = this.#hasCharacters ? "codepoints" : "elems";
    this.type = `${isOfBytes ? "bytes" : "string"}.${kind}`;
  }

  /** Also an empty view counts as true, as in starlark-go. */
  override truth(): boolean {
    return true;
  }

  override get length(): number | undefined {
    return this.#hasCharacters ? undefined : this.#text.length;
  }

  override items(): readonly Value[] {
    chargeItems(this.#text.length);
    if (!this.#hasCharacters) return Array.from(this.#text, (_, index) => this.itemAt(index));
    const points = codePoints(this.#text);
    return this.#hasInts ? points : points.map(encodeCodePoint);
  }

  override itemAt(index: number): Value {
    return this.#hasInts ? this.#text.charCodeAt(index) : this.#text.charAt(index);
  }

  override represent(): string {
    return `${quote(this.#text, this.type === "bytes.elems")}.${this.#method}()`;
  }
}
