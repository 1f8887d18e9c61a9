import { fail, failLimit } from "../values/error.ts";
import { charge, chargeString, sizes, spend } from "../values/budget.ts";
import { toDict } from "../values/dict.ts";
import { toFloat } from "../values/float.ts";
import { toList } from "../values/sequence.ts";
import { quote } from "../values/quote.ts";
import { replaceInvalid, toUtf8 } from "../values/utf8.ts";
import { typeName, type Value } from "../values/value.ts";
import { parseInteger } from "./numbers.ts";

const numberLike = /[-+.\deE]+/y;
const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?(?![-+.\deE])/y;
const plainText = /^[\u0020-\u005b\u005d-\u007f]*$/;
const words = Object.entries({ null: null, true: true, false: false });

/** How deep values may be nested. */
export const maxDepth = 500;

/** Fails for a value that is nested too deeply. */
export function rejectDepth(): never {
  failLimit(`json: the value is nested too deeply (limit ${maxDepth})`);
}

/** Reads JSON text: numbers without a fraction and an exponent are ints of any size. */
export function decodeJson(text: string): Value {
  spend(text.length >> 4);
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
    const next = this.#peek();
    if (next !== undefined) this.#fail(`unexpected character ${toGoCharacter(next)} after value`);
    return value;
  }

  #fail(message: string): never {
    return fail(`at offset ${this.#index}, ${message}`);
  }

  /** Skips white space. Returns the next character, `undefined` at the end. */
  #peek(): string | undefined {
    for (;;) {
      const byte = this.#text.charCodeAt(this.#index);
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)
        return this.#text[this.#index];
      this.#index++;
    }
  }

  #next(): string {
    return this.#peek() ?? this.#fail("unexpected end of file");
  }

  /** Skips the character if it is the next one. */
  #skip(character: string): boolean {
    if (this.#next() !== character) return false;
    this.#index++;
    return true;
  }

  #value(depth: number): Value {
    if (depth > maxDepth) rejectDepth();
    spend(1);
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
    return this.#fail(`unexpected character ${toGoCharacter(first)}`);
  }

  #number(): Value {
    numberLike.lastIndex = number.lastIndex = this.#index;
    const found = number.exec(this.#text);
    if (found === null)
      return this.#fail(`invalid number: ${numberLike.exec(this.#text)?.[0] ?? ""}`);
    const [literal, fraction, exponent] = found;
    this.#index += literal.length;
    const value = Number(literal);
    if (fraction === undefined && exponent === undefined)
      return Number.isSafeInteger(value) ? value + 0 : parseInteger(literal, 10);
    return Number.isFinite(value) ? toFloat(value) : this.#fail(`invalid number: ${literal}`);
  }

  #string(): string {
    const text = this.#text;
    const start = this.#index + 1;
    let end = text.indexOf('"', start);
    if (text[end - 1] === "\\") {
      // The quotation mark may be a part of an escape.
      for (end = start; end < text.length && text[end] !== '"'; end++)
        if (text[end] === "\\") end++;
    }
    if (end === -1 || end >= text.length) this.#fail("unclosed string literal");
    const body = text.slice(start, end);
    this.#index = end + 1;
    chargeString(body.length);
    if (plainText.test(body)) return body;
    const control = /[\u0000-\u001f]/.exec(body)?.[0];
    if (control !== undefined)
      this.#fail(`invalid character ${toGoCharacter(control)} in string literal`);
    // V8 stores all matches before it replaces the first one.
    for (let at = body.indexOf("\\"); at !== -1; at = body.indexOf("\\", at + 2))
      charge(sizes.object);
    const unescaped = body.replaceAll(
      /\\u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|\\[^]/g,
      (escape) => this.#unescape(escape),
    );
    return replaceInvalid(unescaped);
  }

  #unescape(escape: string): string {
    const letter = escape.charAt(1);
    if (letter === "u" && escape.length < 6)
      this.#fail(`invalid character in \\u hexadecimal character escape`);
    if (!'"\\/bfnrtu'.includes(letter))
      this.#fail(`invalid character ${toGoCharacter(letter)} in string escape code`);
    return toUtf8(JSON.parse(`"${escape}"`) as string);
  }

  /** Reads elements between commas up to the closing character. `where` starts the error of another character. */
  #elements(close: "]" | "}", where: string, read: () => void): void {
    this.#index++;
    if (this.#skip(close)) return;
    do read();
    while (this.#skip(","));
    if (!this.#skip(close))
      this.#fail(`${where}got ${toGoCharacter(this.#next())}, want ',' or '${close}'`);
  }

  /** A method of its own: a closure in `#value` would cost every value a scope. */
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
      if (!this.#skip(":"))
        this.#fail(`after object key, got ${toGoCharacter(this.#next())}, want ':' `);
      dict.set(key, this.#value(depth));
    });
    return dict;
  }
}

/** A character as Go's `%q` shows it. */
function toGoCharacter(character: string): string {
  if (character === "'") return "'\\''";
  return `'${quote(character).slice(1, -1).replace('\\"', '"')}'`;
}
