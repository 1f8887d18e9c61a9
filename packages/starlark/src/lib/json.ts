import { fail, StarlarkError } from "../error.ts";
import { budget, charge, chargeString, sizes, spend } from "../values/budget.ts";
import { StarlarkDict, toDict } from "../values/dict.ts";
import { formatFloat, StarlarkFloat, toFloat } from "../values/float.ts";
import { toRepr } from "../values/format-value.ts";
import { Builtin, StarlarkModule } from "../values/function.ts";
import { formatInt, negateInt } from "../values/int.ts";
import type { Int } from "../values/int.ts";
import { toList } from "../values/list.ts";
import { quote } from "../values/quote.ts";
import { codePoints, encodeCodePoint, fromBytes, toUtf8 } from "../values/utf8.ts";
import { typeName } from "../values/value.ts";
import type { StarlarkObject, Value } from "../values/value.ts";
import { named, unpack, unpackPositional } from "./arguments.ts";
import { parseDigits } from "./numbers.ts";

const maxDepth = 500;
const maxInput = 8 * 1024 * 1024;

function tooDeep(): never {
  throw new StarlarkError("limit_exceeded", `json: the value is nested too deeply (limit ${maxDepth})`);
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
    for (let index = 0; index < text.length; index++) this.#bytes[this.#length++] = text.charCodeAt(index);
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
      if (!Number.isFinite(value.value)) this.#fail(`cannot encode non-finite float ${formatFloat(value.value)}`);
      this.#push(formatFloat(value.value));
    } else this.#writeContainer(value);
  }

  #fail(message: string): never {
    const path = this.#path.slice(0, this.#open.length).map((step, index) =>
      typeof step === "number"
        ? `at ${typeName(this.#open[index] as Value)} index ${step}: `
        : `in dict key ${toRepr(step)}: `,
    );
    return fail(path.join("") + message);
  }

  #writeContainer(value: StarlarkObject): void {
    if (this.#open.includes(value)) this.#fail("cycle in JSON structure");
    if (this.#open.length >= maxDepth) tooDeep();
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
    for (const key of keys) if (typeof key !== "string") this.#fail(`dict has ${typeName(key)} key, want string`);
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

const shortEscapes: Readonly<Record<number, string>> = { 0x0a: "\\n", 0x0d: "\\r", 0x09: "\\t", 0x22: '\\"', 0x5c: "\\\\" };

/** A character as Go's encoder writes it: what is special in HTML and JavaScript is escaped. */
function escapePoint(point: number): string {
  const short = shortEscapes[point];
  if (short !== undefined) return short;
  const escaped =
    point < 0x20 || point === 0x26 || point === 0x3c || point === 0x3e || point === 0x2028 || point === 0x2029;
  return escaped || point === 0xfffd ? `\\u${point.toString(16).padStart(4, "0")}` : encodeCodePoint(point);
}

const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const numberLike = /[-+.\deE]+/y;
const escapedBody = /(?:[^"\\]|\\[^])*/y;

/** Reads JSON text: numbers without a fraction and an exponent are ints of any size. */
class JsonReader {
  readonly #text: string;
  #index = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.length > maxInput) {
      throw new StarlarkError("limit_exceeded", `json.decode: the text is longer than ${maxInput} bytes`);
    }
    spend(text.length >> 2);
  }

  read(): Value {
    const value = this.#value(0);
    this.#match(space);
    if (this.#index < this.#text.length) this.#fail(`unexpected character ${this.#quoted()} after value`);
    return value;
  }

  #fail(message: string): never {
    return fail(`json.decode: at offset ${this.#index}, ${message}`);
  }

  #quoted(): string {
    return `'${quote(this.#text.charAt(this.#index)).slice(1, -1).replace('\\"', '"').replace("'", "\\'")}'`;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#index;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#index += found.length;
    return found;
  }

  /** Skips white space. Returns the next byte. */
  #next(): number {
    for (;;) {
      const byte = this.#text.charCodeAt(this.#index);
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) this.#index++;
      else if (Number.isNaN(byte)) this.#fail("unexpected end of file");
      else return byte;
    }
  }

  #value(depth: number): Value {
    if (depth > maxDepth) tooDeep();
    const byte = this.#next();
    switch (byte) {
      case 0x22:
        return this.#string();
      case 0x5b:
        return this.#array(depth);
      case 0x7b:
        return this.#object(depth);
      case 0x6e:
        if (this.#word("null")) return null;
        break;
      case 0x74:
        if (this.#word("true")) return true;
        break;
      case 0x66:
        if (this.#word("false")) return false;
        break;
      default:
        if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return this.#number();
    }
    return this.#fail(`unexpected character ${this.#quoted()}`);
  }

  #word(word: string): boolean {
    if (!this.#text.startsWith(word, this.#index)) return false;
    this.#index += word.length;
    return true;
  }

  /** Reads a number. Short ints are added up from their digits. */
  #number(): Value {
    const text = this.#text;
    const start = this.#index;
    let index = text.charCodeAt(start) === 0x2d ? start + 1 : start;
    const first = index;
    let value = 0;
    let byte = text.charCodeAt(index);
    for (; byte >= 0x30 && byte <= 0x39; byte = text.charCodeAt(++index)) value = value * 10 + byte - 0x30;
    const plain = byte === 0x2c || byte === 0x7d || byte === 0x5d || byte === 0x0a || Number.isNaN(byte);
    if (plain && index - first <= 15 && index > first && (index === first + 1 || text.charCodeAt(first) !== 0x30)) {
      this.#index = index;
      return first === start ? value : 0 - value;
    }
    return this.#numberLiteral();
  }

  #numberLiteral(): Value {
    const literal = this.#match(number);
    const rest = this.#match(numberLike);
    if (literal === "" || rest !== "") {
      this.#index -= literal.length + rest.length;
      return this.#fail(`invalid number: ${literal}${rest}`);
    }
    if (/[.eE]/.test(literal)) {
      const value = Number(literal);
      return Number.isFinite(value) ? toFloat(value) : this.#fail(`invalid number: ${literal}`);
    }
    const magnitude = parseDigits(literal.replace("-", ""), 10) as Int;
    return literal.startsWith("-") ? negateInt(magnitude) : magnitude;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#index++;
    for (let index = start + 1; ; index++) {
      const byte = text.charCodeAt(index);
      if (byte === 0x22) {
        this.#index = index + 1;
        charge(sizes.string + index - start);
        return text.slice(start + 1, index);
      }
      if (byte === 0x5c || byte < 0x20 || byte >= 0x80 || Number.isNaN(byte)) break;
    }
    const body = this.#match(escapedBody);
    if (text[this.#index] !== '"') {
      this.#index = start;
      this.#fail("unclosed string literal");
    }
    this.#index++;
    chargeString(body.length);
    return this.#unescape(body);
  }

  #unescape(body: string): string {
    const control = /[\u0000-\u001f]/.exec(body)?.[0];
    if (control !== undefined) {
      this.#fail(`invalid character ${goCharacter(control)} in string literal`);
    }
    const text = body
      .split(/(\\u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|\\[^])/)
      .map((part) => (part.startsWith("\\") ? this.#escape(part) : part))
      .join("");
    return codePoints(text).map(encodeCodePoint).join("");
  }

  #escape(escape: string): string {
    const letter = escape.charAt(1);
    if (letter === "u") {
      if (escape.length < 6) this.#fail(`invalid character in \\u hexadecimal character escape`);
      return toUtf8(JSON.parse(`"${escape}"`) as string);
    }
    if (!'"\\/bfnrt'.includes(letter)) {
      this.#fail(`invalid character ${goCharacter(letter)} in string escape code`);
    }
    return JSON.parse(`"${escape}"`) as string;
  }

  #array(depth: number): Value {
    this.#index++;
    const items: Value[] = [];
    if (this.#next() !== 0x5d) {
      for (;;) {
        items.push(this.#value(depth + 1));
        const byte = this.#next();
        if (byte === 0x2c) this.#index++;
        else if (byte === 0x5d) break;
        else this.#fail(`got ${this.#quoted()}, want ',' or ']'`);
      }
    }
    this.#index++;
    return toList(items);
  }

  #object(depth: number): Value {
    this.#index++;
    const dict = toDict();
    if (this.#next() !== 0x7d) {
      for (;;) {
        const key = this.#value(depth + 1);
        if (typeof key !== "string") this.#fail(`got ${typeName(key)} for object key, want string`);
        if (this.#next() !== 0x3a) this.#fail(`after object key, got ${this.#quoted()}, want ':' `);
        this.#index++;
        dict.set(key, this.#value(depth + 1));
        const byte = this.#next();
        if (byte === 0x2c) this.#index++;
        else if (byte === 0x7d) break;
        else this.#fail(`in object, got ${this.#quoted()}, want ',' or '}'`);
      }
    }
    this.#index++;
    return dict;
  }
}

function goCharacter(character: string): string {
  return `'${quote(character).slice(1, -1)}'`;
}

/** A JSON text with a line per element. */
function indentJson(text: string, prefix: string, indent: string): string {
  const parts: string[] = [];
  let depth = 0;
  let length = 0;
  const push = (part: string): void => {
    length += part.length;
    chargeString(part.length);
    parts.push(part);
  };
  const newLine = (): void => push(`\n${prefix}${indent.repeat(depth)}`);
  const tokens = text.match(/"(?:[^"\\]|\\[^])*"|[[\]{},:]|[^\s[\]{},:"]+/g) ?? [];
  for (const [index, token] of tokens.entries()) {
    if (token === "]" || token === "}") {
      depth--;
      const previous = tokens[index - 1];
      if (previous !== "[" && previous !== "{") newLine();
    } else if (tokens[index - 1] === "[" || tokens[index - 1] === "{") newLine();
    push(token === ":" ? ": " : token);
    if (token === "[" || token === "{") depth++;
    if (token === ",") newLine();
  }
  chargeString(length);
  return parts.join("");
}

function indentOptions(name: string, names: readonly (readonly [string, Value])[]): [prefix: string, indent: string] {
  const [prefix = "", indent = "\t"] = unpack(name, [], names, [
    ["prefix?", "string"],
    ["indent?", "string"],
  ]) as [string?, string?];
  return [prefix, indent];
}

/** The module `json` (starlark-go, `lib/json`). */
export const json: StarlarkModule = new StarlarkModule("json", [
  [
    "encode",
    new Builtin("json.encode", (args, names) => {
      unpackPositional("json.encode", args, names, 1, ["any"]);
      return named("json.encode", () => encodeJson(args[0] as Value));
    }),
  ],
  [
    "encode_indent",
    new Builtin("json.encode_indent", (args, names) => {
      const [prefix, indent] = indentOptions("json.encode_indent", names);
      unpackPositional("json.encode_indent", args, [], 1, ["any"]);
      return indentJson(named("json.encode_indent", () => encodeJson(args[0] as Value)), prefix, indent);
    }),
  ],
  [
    "decode",
    new Builtin("json.decode", (args, names) => {
      const [text, fallback] = unpack("json.decode", args, names, [
        ["x", "string"],
        ["default?", "any"],
      ]);
      try {
        return new JsonReader(text as string).read();
      } catch (error) {
        const recoverable = error instanceof StarlarkError && error.code === "execution_failed";
        if (recoverable && fallback !== undefined) return fallback;
        throw error;
      }
    }),
  ],
  [
    "indent",
    new Builtin("json.indent", (args, names) => {
      const [prefix, indent] = indentOptions("json.indent", names);
      unpackPositional("json.indent", args, [], 1, ["string"]);
      const text = args[0] as string;
      named("json.indent", () => new JsonReader(text).read());
      return indentJson(text, prefix, indent);
    }),
  ],
]);
