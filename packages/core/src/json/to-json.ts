import { childPointer } from "./json-pointer.ts";
import { isThenable, type JsonObject, type JsonValue } from "./json.ts";
import { bytesToBase64 } from "../text/base64.ts";
import { wellFormed } from "../text/utf8.ts";

const maxDepth = 200;

/** The default limit in bytes of the JSON of one value: 32 MiB. */
export const maxBytes = 33_554_432;

/** The bytes that an object or a list counts when it has to be converted. */
const containerBytes = 8;

/** Longer numbers are not written out: that takes more than linear time. */
const maxBigintBits = 1_000_000;

/** Set when the JSON is not all of the value. */
export interface Cut {
  /** There was more than was taken. */
  truncated: boolean;
  /** A text stands for a part that is a cycle, is nested too deeply or cannot be read. */
  replaced?: boolean;
  /** The place of the first promise in the value, as a JSON pointer. A promise is there because an `await` is missing. */
  promiseAt?: string;
}

/**
 * Converts any value to JSON: plain data is returned as it is; a bigint becomes its digits, a date its ISO text, a map
 * an object, an iterable an array, bytes base64, `NaN` and the infinities `null`; a boxed primitive its value, an error
 * its name and message; an object with `toJSON` the result of that; functions and symbols in objects are omitted; a
 * cycle becomes `"[circular]"`, a promise `"[promise]"`, a property that throws when it is read `"[unreadable]"`. Never
 * throws.
 *
 * A value that occurs twice is written twice, so the work is bounded, too: after about `limit` bytes a text such as
 * `"[cut: 5 more items]"` stands for the rest.
 *
 * @param limit bytes of the JSON's text, roughly. Default: 33,554,432.
 * @param cut set when something was omitted because of the limit, or replaced.
 */
export function toJson(value: unknown, limit: number = maxBytes, cut?: Cut): JsonValue {
  return plainBytes(value, limit) >= 0 ? (value as JsonValue) : converted(value, limit, cut);
}

/**
 * Roughly the bytes that plain data takes as JSON: at most that many when it is ASCII. Negative: it
 * is more than `limit`, or no plain data.
 *
 * @param limit Default: none.
 */
export function plainBytes(value: unknown, limit: number = Number.MAX_SAFE_INTEGER): number {
  try {
    const left = afterPlain(value, 0, limit);
    return left < 0 ? -1 : limit - left;
  } catch {
    return -1;
  }
}

/** The remaining bytes of `left`; negative: none, or the value is not plain. */
function afterPlain(value: unknown, depth: number, left: number): number {
  switch (typeof value) {
    case "string":
      return left - value.length - 2;
    case "boolean":
      return left - 5;
    case "number":
      return Number.isFinite(value) ? left - digits(value) : -1;
    case "object": {
      if (value === null) return left - 4;
      if (depth > maxDepth) return -1;
      left -= 2;
      if (Array.isArray(value)) {
        for (let index = 0; index < value.length && left >= 0; index++) {
          left = afterPlain(value[index], depth + 1, left - 1);
        }
        return left;
      }
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) return -1;
      for (const key in value) {
        if (left < 0) return -1;
        const member = (value as Record<string, unknown>)[key];
        left = afterPlain(member, depth + 1, left - key.length - 4);
      }
      return left;
    }
    default:
      return -1;
  }
}

/** How long a number is: a short whole one is counted, another written. */
function digits(value: number): number {
  if (!(value >= 0 && value < 1e9 && Number.isInteger(value))) return `${value}`.length;
  let count = 1;
  for (let power = 10; power <= value; power *= 10) count += 1;
  return count;
}

/** The same, always a copy, in which half a character has become U+FFFD. */
export function wellFormedValue(value: unknown, limit: number, cut?: Cut): JsonValue {
  return converted(value, limit, cut);
}

function converted(value: unknown, limit: number, cut: Cut | undefined): JsonValue {
  const conversion = new Conversion(limit);
  const json = conversion.convert(value);
  if (conversion.isCut && cut !== undefined) cut.truncated = true;
  if (conversion.isReplaced && cut !== undefined) cut.replaced = true;
  if (conversion.promiseAt !== undefined && cut !== undefined) cut.promiseAt = conversion.promiseAt;
  return json;
}

class Conversion {
  isCut = false;
  isReplaced = false;
  promiseAt: string | undefined;
  #left: number;
  readonly #parents: object[] = [];
  /** The key or index of each value that is being converted, in its parent. */
  readonly #path: (string | number)[] = [];

  constructor(limit: number) {
    this.#left = limit;
  }

  convert(value: unknown): JsonValue {
    this.#left -= 1;
    switch (typeof value) {
      case "string":
        return this.#text(value);
      case "number":
        if (!Number.isFinite(value)) break;
        this.#left -= digits(value);
        return value;
      case "boolean":
        this.#left -= 4;
        return value;
      case "bigint":
        return this.#digits(value);
      case "object":
        if (value === null) break;
        return this.#readObject(value);
      default:
    }
    this.#left -= 4;
    return null;
  }

  #text(value: string): string {
    const left = Math.max(0, this.#left);
    this.#left -= value.length + 2;
    // A note would be longer than the omitted part.
    if (value.length <= left || value.length <= 32) return wellFormed(value);
    return `${wellFormed(value.slice(0, left))}… ${this.#cut(value.length - left, "characters")}`;
  }

  #digits(value: bigint): string {
    if (BigInt.asIntN(maxBigintBits, value) === value) return this.#text(value.toString());
    this.isCut = true;
    return `[cut: a number of more than ${maxBigintBits} bits]`;
  }

  #bytes(bytes: Uint8Array): string {
    const most = Math.max(0, Math.floor((this.#left * 3) / 4));
    this.#left -= (bytes.length * 4) / 3;
    const text = bytesToBase64(bytes.subarray(0, most));
    return bytes.length <= most ? text : `${text}… ${this.#cut(bytes.length - most, "bytes")}`;
  }

  #cut(count: number, what: string): string {
    this.isCut = true;
    return `[cut: ${count} more ${what}]`;
  }

  #replace(reason: string): string {
    this.isReplaced = true;
    return `[${reason}]`;
  }

  #readObject(value: object): JsonValue {
    const depth = this.#parents.length;
    try {
      if (this.#parents.includes(value)) return this.#replace("circular");
      if (depth >= maxDepth) return this.#replace("too deep");
      this.#parents.push(value);
      this.#left -= containerBytes;
      return this.#convertObject(value);
    } catch {
      return this.#replace("unreadable");
    } finally {
      this.#parents.length = depth;
    }
  }

  #convertObject(value: object): JsonValue {
    if (Array.isArray(value)) return this.#items(value);
    const special = isPlainObject(value) ? undefined : this.#convertSpecial(value);
    if (special !== undefined) return special;
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function") {
      const json: unknown = toJSON.call(value);
      if (json !== value) return this.convert(json);
    }
    const iterable = value as Partial<Iterable<unknown>>;
    return typeof iterable[Symbol.iterator] === "function"
      ? this.#iterated(iterable as Iterable<unknown>)
      : this.#ownMembers(value);
  }

  /** Converts an object by the rules of its class. */
  #convertSpecial(value: object): JsonValue | undefined {
    if (value instanceof Date) {
      return Number.isNaN(value.getTime()) ? null : this.#text(String(value.toISOString()));
    }
    const bytes = viewBytes(value);
    if (bytes !== undefined) return this.#bytes(bytes);
    if (ArrayBuffer.isView(value)) return this.#items(value as unknown as ArrayLike<unknown>);
    if (value instanceof RegExp) return this.#text(String(value));
    if (isThenable(value)) {
      this.promiseAt ??= this.#path.reduce<string>(childPointer, "");
      // The tool's error is that it was not awaited. That it fails, too, must not end the process.
      if (value instanceof Promise) value.catch(() => {});
      return this.#replace("promise");
    }
    if (value instanceof Error) {
      return { name: this.#text(String(value.name)), message: this.#text(String(value.message)) };
    }
    if (isBoxed(value)) return this.convert(value.valueOf());
    return value instanceof Map ? this.#mapMembers(value) : undefined;
  }

  #items(items: ArrayLike<unknown>): JsonValue[] {
    const list: JsonValue[] = [];
    const { length } = items;
    for (let index = 0; index < length; index++) {
      if (this.#left <= 0) {
        list.push(this.#cut(length - index, "items"));
        break;
      }
      let item: unknown;
      try {
        item = items[index];
      } catch {
        item = this.#replace("unreadable");
      }
      list.push(this.#convertAt(index, item));
    }
    return list;
  }

  #iterated(items: Iterable<unknown>): JsonValue[] {
    const list: JsonValue[] = [];
    for (const item of items) {
      if (this.#left <= 0) {
        this.isCut = true;
        list.push("[cut: more items]");
        break;
      }
      list.push(this.#convertAt(list.length, item));
    }
    return list;
  }

  #convertAt(key: string | number, value: unknown): JsonValue {
    this.#path.push(key);
    const json = this.convert(value);
    this.#path.pop();
    return json;
  }

  #ownMembers(value: object): JsonObject {
    const keys = Object.keys(value);
    const result: Record<string, JsonValue> = {};
    for (let index = 0; index < keys.length; index++) {
      if (this.#left <= 0) {
        result["[cut]"] = this.#cut(keys.length - index, "keys");
        break;
      }
      const key = keys[index] as string;
      let member: unknown;
      try {
        member = (value as Record<string, unknown>)[key];
      } catch {
        member = this.#replace("unreadable");
      }
      this.#member(result, key, member);
    }
    return result;
  }

  #mapMembers(map: Map<unknown, unknown>): JsonObject {
    const result: Record<string, JsonValue> = {};
    for (const [key, member] of map) {
      if (this.#left <= 0) {
        this.isCut = true;
        result["[cut]"] = "[cut: more keys]";
        break;
      }
      this.#member(result, String(key), member);
    }
    return result;
  }

  #member(result: Record<string, JsonValue>, key: string, member: unknown): void {
    const kind = typeof member;
    // Omitted items are counted, too: a map can have any number of them.
    this.#left -= 1;
    if (kind === "undefined" || kind === "function" || kind === "symbol") return;
    const name = this.#text(key);
    const value = this.#convertAt(key, member);
    if (name !== "__proto__") result[name] = value;
    // Plain assignment would set the prototype instead.
    else
      Object.defineProperty(result, name, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
}

/** The bytes of what holds bytes, and not numbers: a view of them, no copy. */
export function viewBytes(value: object): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (
    value instanceof Uint8Array ||
    value instanceof Uint8ClampedArray ||
    value instanceof DataView
  ) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  return undefined;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const boxes = [Number, String, Boolean, BigInt];

function isBoxed(value: object): boolean {
  return boxes.some((box) => value instanceof box);
}
