import { charge, chargeItems, chargeString, sizes } from "./budget.ts";
import { characterLength, codePointAt, encodeCodePoint, quote } from "./utf8.ts";
import { type HashKey, StarlarkObject, type Value, type ValueWriter } from "./value.ts";

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

  override write(writer: ValueWriter): void {
    writer.text(quote(this.data, true));
  }
}

/** `count` characters from `start` in steps of `step`. */
export function sliceText(text: string, start: number, count: number, step: number): string {
  chargeString(count);
  if (step === 1) return text.slice(start, start + count);
  return Array.from({ length: count }, (_, index) => text.charAt(start + index * step)).join("");
}

/** The result of `elems()` and its relatives: the bytes or the characters of a string or of bytes, as strings or as ints. */
export class ElementsView extends StarlarkObject {
  override readonly type: string;
  readonly #source: string | StarlarkBytes;
  readonly #method: string;
  readonly #text: string;
  readonly #characters: boolean;
  readonly #ords: boolean;

  constructor(source: string | StarlarkBytes, method: string) {
    super();
    charge(sizes.object);
    const isBytes = typeof source !== "string";
    this.#source = source;
    this.#method = method;
    this.#text = isBytes ? source.data : source;
    this.#characters = method.startsWith("codepoint");
    this.#ords = isBytes || method.endsWith("_ords");
    this.type = isBytes ? "bytes.elems" : `string.${this.#characters ? "codepoints" : "elems"}`;
  }

  /** Also an empty view counts as true, as in starlark-go. */
  override truth(): boolean {
    return true;
  }

  override get length(): number | undefined {
    return this.#characters ? undefined : this.#text.length;
  }

  override items(): readonly Value[] {
    const { length } = this.#text;
    chargeItems(length);
    const items: Value[] = [];
    for (let at = 0; at < length; at += this.#characters ? characterLength(this.#text, at) : 1)
      items.push(this.itemAt(at));
    return items;
  }

  override itemAt(index: number): Value {
    if (!this.#characters)
      return this.#ords ? this.#text.charCodeAt(index) : this.#text.charAt(index);
    const point = codePointAt(this.#text, index);
    return this.#ords ? point : encodeCodePoint(point);
  }

  override write(writer: ValueWriter): void {
    writer.value(this.#source);
    writer.text(`.${this.#method}()`);
  }
}
