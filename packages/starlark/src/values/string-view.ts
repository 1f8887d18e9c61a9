import { chargeItems } from "./budget.ts";
import { StarlarkBytes } from "./bytes.ts";
import { quote } from "./quote.ts";
import { characterLength, codePointAt, encodeCodePoint } from "./utf8.ts";
import { StarlarkObject } from "./value.ts";
import type { Value, ValueWriter } from "./value.ts";

/** The bytes of a string, as strings or as ints: `elems()` and `elem_ords()`. */
export class StringElements extends StarlarkObject {
  override readonly type = "string.elems";
  readonly #text: string;
  readonly #ords: boolean;

  constructor(text: string, ords: boolean) {
    super();
    this.#text = text;
    this.#ords = ords;
  }

  override get length(): number {
    return this.#text.length;
  }

  override items(): readonly Value[] {
    chargeItems(this.#text.length);
    return Array.from({ length: this.#text.length }, (_, index) => this.itemAt(index));
  }

  override itemAt(index: number): Value {
    return this.#ords ? this.#text.charCodeAt(index) : this.#text.charAt(index);
  }

  override write(writer: ValueWriter): void {
    writer.text(`${quote(this.#text)}.${this.#ords ? "elem_ords" : "elems"}()`);
  }
}

/** The characters of a string, as strings or as ints: `codepoints()` and `codepoint_ords()`. */
export class StringCodePoints extends StarlarkObject {
  override readonly type = "string.codepoints";
  readonly #text: string;
  readonly #ords: boolean;

  constructor(text: string, ords: boolean) {
    super();
    this.#text = text;
    this.#ords = ords;
  }

  override items(): readonly Value[] {
    chargeItems(this.#text.length);
    const items: Value[] = [];
    for (let index = 0; index < this.#text.length; index += characterLength(this.#text, index)) {
      const point = codePointAt(this.#text, index);
      items.push(this.#ords ? point : encodeCodePoint(point));
    }
    return items;
  }

  override write(writer: ValueWriter): void {
    writer.text(`${quote(this.#text)}.${this.#ords ? "codepoint_ords" : "codepoints"}()`);
  }
}

/** The bytes of a bytes value as ints: `elems()`. */
export class BytesElements extends StarlarkObject {
  override readonly type = "bytes.elems";
  readonly #bytes: StarlarkBytes;

  constructor(bytes: StarlarkBytes) {
    super();
    this.#bytes = bytes;
  }

  override get length(): number {
    return this.#bytes.length;
  }

  override items(): readonly Value[] {
    chargeItems(this.length);
    return Array.from({ length: this.length }, (_, index) => this.itemAt(index));
  }

  override itemAt(index: number): Value {
    return this.#bytes.data.charCodeAt(index);
  }

  override write(writer: ValueWriter): void {
    writer.value(this.#bytes);
    writer.text(".elems()");
  }
}
