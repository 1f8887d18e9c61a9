import { chargeString } from "./budget.ts";
import { StarlarkObject } from "./value.ts";
import type { HashKey, Value, ValueWriter } from "./value.ts";
import { quote } from "./quote.ts";

/** A sequence of bytes that is not text. */
export class StarlarkBytes extends StarlarkObject {
  override readonly type = "bytes";
  /** The bytes, each as one character. */
  readonly data: string;

  constructor(data: string) {
    super();
    this.data = data;
  }

  override truth(): boolean {
    return this.data !== "";
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
  const characters: string[] = [];
  for (let index = 0; index < count; index++) characters.push(text.charAt(start + index * step));
  return characters.join("");
}
