import { fail, StarlarkError } from "../values/error.ts";
import { budget, charge, chargeString, sizes } from "../values/budget.ts";
import { StarlarkDict } from "../values/dict.ts";
import { formatFloat, StarlarkFloat } from "../values/float.ts";
import { toRepr } from "../values/format-value.ts";
import { formatInt } from "../values/int.ts";
import { codePoints, encodeCodePoint, fromBytes } from "../values/utf8.ts";
import { typeName } from "../values/value.ts";
import type { StarlarkObject, Value } from "../values/value.ts";

/** How deep values may be nested. */
export const maxDepth = 500;

/** Fails for a value that is nested too deeply. */
export function rejectDepth(): never {
  throw new StarlarkError(
    "limit_exceeded",
    `json: the value is nested too deeply (limit ${maxDepth})`,
  );
}

/** A value as JSON, on one line, with sorted keys. */
export function encodeJson(value: Value): string {
  const writer = new JsonWriter();
  writer.write(value);
  return writer.finish();
}

class JsonWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;
  readonly #open: Value[] = [];
  /** The index or the key inside of each open container. */
  readonly #path: (number | string)[] = [];

  finish(): string {
    chargeString(this.#length);
    return fromBytes(this.#bytes.subarray(0, this.#length));
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    chargeString(this.#bytes.length + count);
    const bytes = new Uint8Array(2 * this.#bytes.length + count);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }

  #push(text: string): void {
    this.#reserve(text.length);
    for (let index = 0; index < text.length; index++)
      this.#bytes[this.#length++] = text.charCodeAt(index);
  }

  /** Writes a string with quotes. Printable ASCII is copied as it is. */
  #quote(text: string): void {
    const start = this.#length;
    this.#reserve(text.length + 2);
    this.#bytes[this.#length++] = 0x22;
    for (let index = 0; index < text.length; index++) {
      const byte = text.charCodeAt(index);
      if (byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c) {
        this.#length = start;
        this.#push(quoteJson(text));
        return;
      }
      this.#bytes[this.#length++] = byte;
    }
    this.#bytes[this.#length++] = 0x22;
  }

  write(value: Value): void {
    charge(sizes.slot);
    budget.fuel--;
    if (typeof value === "string") this.#quote(value);
    else if (typeof value === "number") this.#push(String(value));
    else if (typeof value === "boolean") this.#push(value ? "true" : "false");
    else if (value === null) this.#push("null");
    else if (typeof value === "bigint") this.#push(formatInt(value));
    else if (value instanceof StarlarkFloat) {
      if (!Number.isFinite(value.value))
        this.#fail(`cannot encode non-finite float ${formatFloat(value.value)}`);
      this.#push(formatFloat(value.value));
    } else this.#writeContainer(value);
  }

  #fail(message: string): never {
    const path = this.#path
      .slice(0, this.#open.length)
      .map((step, index) =>
        typeof step === "number"
          ? `at ${typeName(this.#open[index] as Value)} index ${step}: `
          : `in dict key ${toRepr(step)}: `,
      );
    return fail(path.join("") + message);
  }

  #writeContainer(value: StarlarkObject): void {
    if (this.#open.includes(value)) this.#fail("cycle in JSON structure");
    if (this.#open.length >= maxDepth) rejectDepth();
    if (budget.fuel < 0) budget.checkLimits();
    if (value instanceof StarlarkDict) this.#writeDict(value);
    else this.#writeItems(value);
  }

  #writeItems(value: StarlarkObject): void {
    const items = value.items() ?? this.#fail(`cannot encode ${value.type} as JSON`);
    const depth = this.#open.push(value) - 1;
    this.#push("[");
    for (let index = 0; index < items.length; index++) {
      if (index > 0) this.#push(",");
      this.#path[depth] = index;
      this.write(items[index] as Value);
    }
    this.#push("]");
    this.#open.pop();
  }

  #writeDict(dict: StarlarkDict): void {
    const keys = dict.keys();
    for (const key of keys)
      if (typeof key !== "string") this.#fail(`dict has ${typeName(key)} key, want string`);
    const depth = this.#open.push(dict) - 1;
    let separator = "{";
    for (const key of sortKeys(keys as string[])) {
      this.#push(separator);
      separator = ",";
      this.#quote(key);
      this.#push(":");
      this.#path[depth] = key;
      this.write(dict.get(key) as Value);
    }
    if (keys.length === 0) this.#push("{");
    this.#push("}");
    this.#open.pop();
  }
}

/** Sorts in place; few keys by insertion, which is faster for them than the sort of arrays. */
function sortKeys(keys: string[]): string[] {
  if (keys.length > 12) return keys.sort();
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index] as string;
    let at = index;
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
  return keys;
}

const asciiText = /^[\u0020-\u007e]*$/;

function quoteJson(text: string): string {
  chargeString(text.length);
  if (asciiText.test(text)) return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
  return `"${codePoints(text).map(escapePoint).join("")}"`;
}

const shortEscapes: Readonly<Record<number, string>> = {
  0x0a: "\\n",
  0x0d: "\\r",
  0x09: "\\t",
  0x22: '\\"',
  0x5c: "\\\\",
};

/** A character as Go's encoder writes it: what is special in HTML and JavaScript is escaped. */
function escapePoint(point: number): string {
  const short = shortEscapes[point];
  if (short !== undefined) return short;
  const escaped =
    point < 0x20 ||
    point === 0x26 ||
    point === 0x3c ||
    point === 0x3e ||
    point === 0x2028 ||
    point === 0x2029;
  return escaped || point === 0xfffd
    ? `\\u${point.toString(16).padStart(4, "0")}`
    : encodeCodePoint(point);
}
