import { fail, StarlarkError } from "../values/error.ts";
import { charge, chargeString, sizes, spend } from "../values/budget.ts";
import { toDict } from "../values/dict.ts";
import { toFloat } from "../values/float.ts";
import { negateInt } from "../values/int.ts";
import type { Int } from "../values/int.ts";
import { toList } from "../values/list.ts";
import { quote } from "../values/quote.ts";
import { codePoints, encodeCodePoint, toUtf8 } from "../values/utf8.ts";
import { typeName } from "../values/value.ts";
import type { Value } from "../values/value.ts";
import { maxDepth, rejectDepth } from "./json-writer.ts";
import { parseDigits } from "./numbers.ts";

const maxInput = 8 * 1024 * 1024;
const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const numberLike = /[-+.\deE]+/y;
const escapedBody = /(?:[^"\\]|\\[^])*/y;

/** Reads JSON text: numbers without a fraction and an exponent are ints of any size. */
export class JsonReader {
  readonly #text: string;
  #index = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.length > maxInput) {
      throw new StarlarkError(
        "limit_exceeded",
        `json.decode: the text is longer than ${maxInput} bytes`,
      );
    }
    spend(text.length >> 2);
  }

  read(): Value {
    const value = this.#value(0);
    this.#match(space);
    if (this.#index < this.#text.length)
      this.#fail(`unexpected character ${this.#quoted()} after value`);
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
    if (depth > maxDepth) rejectDepth();
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
    for (; byte >= 0x30 && byte <= 0x39; byte = text.charCodeAt(++index))
      value = value * 10 + byte - 0x30;
    const plain =
      byte === 0x2c || byte === 0x7d || byte === 0x5d || byte === 0x0a || Number.isNaN(byte);
    if (
      plain &&
      index - first <= 15 &&
      index > first &&
      (index === first + 1 || text.charCodeAt(first) !== 0x30)
    ) {
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
