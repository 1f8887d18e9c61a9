import { failLimit } from "./error.ts";
import { chargeString } from "./budget.ts";
import { formatInt } from "./int.ts";
import { quote } from "./quote.ts";
import { type Parts, StarlarkObject, type Value, type ValueWriter } from "./value.ts";
import { replaceInvalid } from "./utf8.ts";
import { StarlarkBytes } from "./bytes.ts";

const maxDepth = 200;

class Writer implements ValueWriter {
  readonly parts: string[] = [];
  readonly #open: StarlarkObject[] = [];

  text(text: string): void {
    chargeString(text.length);
    this.parts.push(text);
  }

  value(value: Value): void {
    if (value instanceof StarlarkObject) value.write(this);
    else this.text(formatPrimitive(value));
  }

  container(owner: StarlarkObject, open: string, close: string, items: () => Parts): void {
    if (this.#open.includes(owner)) return this.text(`${open}...${close}`);
    if (this.#open.length >= maxDepth)
      failLimit(`a value is nested too deeply to be shown (limit ${maxDepth})`);
    this.#open.push(owner);
    this.text(open);
    for (const [index, item] of items().entries()) {
      if (index > 0) this.text(", ");
      if (Array.isArray(item)) {
        this.value(item[0]);
        this.text(": ");
        this.value(item[1]);
      } else this.value(item as Value);
    }
    this.text(close);
    this.#open.pop();
  }
}

function formatPrimitive(value: Exclude<Value, StarlarkObject>): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null ? "None" : formatInt(value);
}

/** The value as `repr` shows it, as a byte string. */
export function toRepr(value: Value): string {
  let text: string;
  if (value instanceof StarlarkObject) {
    const writer = new Writer();
    writer.value(value);
    text = writer.parts.join("");
  } else text = formatPrimitive(value);
  chargeString(text.length);
  return text;
}

/** The value as `str` shows it: text as it is, all else as `repr`. */
export function toText(value: Value): string {
  if (typeof value === "string") return value;
  return value instanceof StarlarkBytes ? replaceInvalid(value.data) : toRepr(value);
}
