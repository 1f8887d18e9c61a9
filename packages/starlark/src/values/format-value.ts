import { StarlarkError } from "./error.ts";
import { chargeString } from "./budget.ts";
import { formatInt } from "./int.ts";
import { quote } from "./quote.ts";
import { StarlarkObject } from "./value.ts";
import type { Value, ValueWriter } from "./value.ts";
import { replaceInvalid } from "./utf8.ts";
import { StarlarkBytes } from "./bytes.ts";

const maxDepth = 200;

/** Collects the text of a value. */
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

  container(owner: StarlarkObject, open: string, close: string, items: () => void): void {
    if (this.#open.includes(owner)) {
      this.text(
        owner.type === "dict" ? "{...}" : owner.type === "list" ? "[...]" : `${open}...${close}`,
      );
      return;
    }
    if (this.#open.length >= maxDepth) {
      throw new StarlarkError(
        "limit_exceeded",
        `a value is nested too deeply to be shown (limit ${maxDepth})`,
      );
    }
    this.#open.push(owner);
    this.text(open);
    items();
    this.text(close);
    this.#open.pop();
  }
}

function formatPrimitive(value: Exclude<Value, StarlarkObject>): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "boolean":
      return value ? "True" : "False";
    case "number":
    case "bigint":
      return formatInt(value);
    default:
      return "None";
  }
}

/** The value as `repr` shows it, as a byte string. */
export function toRepr(value: Value): string {
  if (!(value instanceof StarlarkObject)) {
    const text = formatPrimitive(value);
    chargeString(text.length);
    return text;
  }
  const writer = new Writer();
  writer.value(value);
  const text = writer.parts.join("");
  chargeString(text.length);
  return text;
}

/** The value as `str` shows it: text as it is, all else as `repr`. */
export function toText(value: Value): string {
  if (typeof value === "string") return value;
  return value instanceof StarlarkBytes ? replaceInvalid(value.data) : toRepr(value);
}
