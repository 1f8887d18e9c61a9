import { fail, failLimit } from "../values/error.ts";
import { charge, chargeString, sizes, spend } from "../values/budget.ts";
import { toDict } from "../values/dict.ts";
import { toFloat } from "../values/float.ts";
import { type Int, negateInt } from "../values/int.ts";
import { toList } from "../values/sequence.ts";
import { quote, replaceInvalid, toUtf8 } from "../values/utf8.ts";
import { typeName, type Value } from "../values/value.ts";
import { maxDepth, rejectDepth } from "./json-writer.ts";
import { parseDigits } from "./numbers.ts";

const maxInput = 8 * 1024 * 1024;
const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?(?![-+.\deE])/y;
const numberLike = /[-+.\deE]+/y;
const plainText = /^[\u0020-\u005b\u005d-\u007f]*$/;
const escapedBody = /(?:[^"\\]|\\[^])*/y;
const words = Object.entries({ null: null, true: true, false: false });

/** Reads JSON text: numbers without a fraction and an exponent are ints of any size. */
export function decodeJson(text: string): Value {
  if (text.length > maxInput) failLimit(`json.decode: the text is longer than ${maxInput} bytes`);
  spend(text.length >> 2);
  return new JsonReader(text).read();
}

class JsonReader {
  readonly #text: string;
  #index = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Value {
    const value = this.#value(0);
    this.#match(space);
    if (this.#index < this.#text.length)
      this.#fail(`unexpected character ${this.#character()} after value`);
    return value;
  }

  #fail(message: string): never {
    return fail(`json.decode: at offset ${this.#index}, ${message}`);
  }

  /** The character at the place, as Go's `%q` shows it. */
  #character(): string {
    const character = this.#text.charAt(this.#index);
    return character === "'" ? "'\\''" : goCharacter(character).replace('\\"', '"');
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#index;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#index += found.length;
    return found;
  }

  /** Skips white space. Returns the next character. */
  #next(): string {
    for (;;) {
      const byte = this.#text.charCodeAt(this.#index);
      if (Number.isNaN(byte)) this.#fail("unexpected end of file");
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)
        return this.#text.charAt(this.#index);
      this.#index++;
    }
  }

  #value(depth: number): Value {
    if (depth > maxDepth) rejectDepth();
    const first = this.#next();
    if (first === '"') return this.#string();
    if (first === "[") return this.#array(depth + 1);
    if (first === "{") return this.#object(depth + 1);
    if (first === "-" || (first >= "0" && first <= "9")) return this.#number();
    for (const [word, value] of words) {
      if (this.#text.startsWith(word, this.#index)) {
        this.#index += word.length;
        return value;
      }
    }
    return this.#fail(`unexpected character ${this.#character()}`);
  }

  #number(): Value {
    number.lastIndex = this.#index;
    const found = number.exec(this.#text);
    if (found === null) {
      const literal = this.#match(numberLike);
      this.#index -= literal.length;
      return this.#fail(`invalid number: ${literal}`);
    }
    const [literal, fraction, exponent] = found;
    const value = Number(literal);
    this.#index += literal.length;
    if (fraction !== undefined || exponent !== undefined)
      return Number.isFinite(value) ? toFloat(value) : this.#fail(`invalid number: ${literal}`);
    if (Number.isSafeInteger(value)) return value + 0;
    const magnitude = parseDigits(literal.replace("-", ""), 10) as Int;
    return literal.startsWith("-") ? negateInt(magnitude) : magnitude;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#index + 1;
    const end = text.indexOf('"', start);
    const body = text.slice(start, end);
    if (end !== -1 && plainText.test(body)) {
      this.#index = end + 1;
      charge(sizes.string + body.length);
      return body;
    }
    return this.#escapedString();
  }

  #escapedString(): string {
    const start = this.#index++;
    const body = this.#match(escapedBody);
    if (this.#text[this.#index] !== '"') {
      this.#index = start;
      this.#fail("unclosed string literal");
    }
    this.#index++;
    chargeString(body.length);
    const control = /[\u0000-\u001f]/.exec(body)?.[0];
    if (control !== undefined)
      this.#fail(`invalid character ${goCharacter(control)} in string literal`);
    const text = body.replaceAll(
      /\\u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|\\[^]/g,
      (escape) => this.#escape(escape),
    );
    return replaceInvalid(text);
  }

  #escape(escape: string): string {
    const letter = escape.charAt(1);
    if (letter === "u" && escape.length < 6)
      this.#fail(`invalid character in \\u hexadecimal character escape`);
    if (!'"\\/bfnrtu'.includes(letter))
      this.#fail(`invalid character ${goCharacter(letter)} in string escape code`);
    return toUtf8(JSON.parse(`"${escape}"`) as string);
  }

  /** Reads elements between commas up to the closing character. `where` starts the error of another character. */
  #elements(close: "]" | "}", where: string, read: () => void): void {
    this.#index++;
    if (this.#next() !== close) {
      for (;;) {
        read();
        const next = this.#next();
        if (next === close) break;
        if (next !== ",") this.#fail(`${where}got ${this.#character()}, want ',' or '${close}'`);
        this.#index++;
      }
    }
    this.#index++;
  }

  #array(depth: number): Value {
    const items: Value[] = [];
    this.#elements("]", "", () => items.push(this.#value(depth)));
    return toList(items);
  }

  #object(depth: number): Value {
    const dict = toDict();
    this.#elements("}", "in object, ", () => {
      const key = this.#value(depth);
      if (typeof key !== "string")
        return this.#fail(`got ${typeName(key)} for object key, want string`);
      if (this.#next() !== ":") this.#fail(`after object key, got ${this.#character()}, want ':' `);
      this.#index++;
      dict.set(key, this.#value(depth));
    });
    return dict;
  }
}

function goCharacter(character: string): string {
  return `'${quote(character).slice(1, -1)}'`;
}
