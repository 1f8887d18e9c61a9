import { hasLongNumbers } from "@toolweave/core/adapter";
import {
  arrayNode,
  literalNode,
  numberNode,
  objectNode,
  textNode,
  type ExactJson,
  type FormNode,
  type JsonLayout,
} from "./node.ts";
import { toExactValue } from "./write-json.ts";

/** Text that is not JSON. */
export interface JsonFault {
  readonly message: string;
  /** The index in the text at which it stops being JSON. */
  readonly offset: number;
}

/** Levels of nesting beyond which a text is refused: the stack of a page is limited. */
const maxDepth = 500;
const maxLayoutLength = 1024 * 1024;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const space = /[ \t\n\r]*/y;
const word = /[A-Za-z0-9_$.+-]+/y;

class Fault extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/**
 * Parses JSON (RFC 8259). Unlike `JSON.parse` it preserves the digits of numbers and the order of members, and refuses a
 * name that appears twice in an object, since one of its values would be lost. It preserves white space and escapes for
 * `writeJson` in a text of up to 1 Mi characters.
 */
export function parseJson(source: string): FormNode | JsonFault {
  const reader = new Reader(source, source.length <= maxLayoutLength);
  try {
    return reader.document();
  } catch (error) {
    if (error instanceof Fault) return { message: error.message, offset: error.offset };
    throw error;
  }
}

/** True for what `parseJson` returns for text that is not JSON. */
export function isFault(result: FormNode | JsonFault): result is JsonFault {
  return !("kind" in result);
}

/**
 * Reads JSON for display, with all digits of its numbers; `undefined`: the text is no JSON. A text without 16 digits in
 * a row costs what `JSON.parse` costs.
 */
export function parseExactJson(source: string): ExactJson | undefined {
  if (hasLongNumbers(source)) {
    const node = parseJson(source);
    if (!isFault(node)) return toExactValue(node);
  }
  try {
    return JSON.parse(source) as ExactJson;
  } catch {
    return undefined;
  }
}

class Reader {
  readonly #source: string;
  readonly #withLayout: boolean;
  #at = 0;
  #depth = 0;

  constructor(source: string, withLayout: boolean) {
    this.#source = source;
    this.#withLayout = withLayout;
  }

  document(): FormNode {
    const node = this.#value();
    this.#space();
    if (this.#at < this.#source.length) {
      throw new Fault("The JSON value has ended before this text.", this.#at);
    }
    return node;
  }

  #value(): FormNode {
    this.#space();
    const start = this.#source[this.#at];
    if (start === "{") return this.#object();
    if (start === "[") return this.#array();
    if (start === '"') return this.#textNode();
    const digits = this.#match(number);
    if (digits !== undefined) {
      const next = this.#source[this.#at];
      if (next !== undefined && /[0-9.eE+-]/.test(next)) {
        throw new Fault("This is not a JSON number.", this.#at);
      }
      return numberNode(digits);
    }
    const at = this.#at;
    const name = this.#match(word);
    if (name === "true" || name === "false") return literalNode(name === "true");
    if (name === "null") return literalNode(null);
    throw new Fault(this.#expected("a value", at), at);
  }

  #object(): FormNode {
    this.#enter();
    const members = new Map<string, FormNode>();
    const layout = new Layout();
    let before = this.#space();
    if (!this.#skip("}")) {
      for (;;) {
        const at = this.#at;
        if (this.#source[at] !== '"') throw new Fault(this.#expected("a name in quotes", at), at);
        const name = this.#text();
        if (members.has(name)) {
          throw new Fault(`The name ${JSON.stringify(name)} appears twice in this object.`, at);
        }
        let colon = this.#space();
        if (!this.#skip(":")) throw new Fault(this.#expected("a colon", this.#at), this.#at);
        colon += `:${this.#space()}`;
        members.set(name, this.#value());
        layout.add(before, colon, this.#space());
        if (!this.#skip(",")) break;
        before = this.#space();
      }
      this.#close("}");
    }
    this.#depth--;
    const node = objectNode(members);
    return this.#withLayout && members.size > 0 ? { ...node, layout } : node;
  }

  #array(): FormNode {
    this.#enter();
    const items: FormNode[] = [];
    const layout = new Layout();
    let before = this.#space();
    if (!this.#skip("]")) {
      for (;;) {
        items.push(this.#value());
        layout.add(before, "", this.#space());
        if (!this.#skip(",")) break;
        before = this.#space();
      }
      this.#close("]");
    }
    this.#depth--;
    const node = arrayNode(items);
    return this.#withLayout && items.length > 0 ? { ...node, layout } : node;
  }

  #close(bracket: string): void {
    if (this.#skip(bracket)) return;
    throw new Fault(this.#expected(`a comma or "${bracket}"`, this.#at), this.#at);
  }

  #enter(): void {
    if (++this.#depth > maxDepth) {
      throw new Fault(`The value nests more than ${maxDepth} levels deep.`, this.#at);
    }
    this.#at++;
  }

  #textNode(): FormNode {
    const from = this.#at;
    const node = textNode(this.#text());
    const quoted = this.#source.slice(from, this.#at);
    const isUsual =
      !this.#withLayout || !quoted.includes("\\") || quoted === JSON.stringify(node.text);
    return isUsual ? node : { ...node, quoted };
  }

  #text(): string {
    const start = this.#at;
    // Not a regular expression, whose stack a string of megabytes would exceed.
    for (let at = start + 1; at < this.#source.length; at++) {
      const code = this.#source.charCodeAt(at);
      if (code === 0x5c) at++;
      else if (code < 0x20) {
        throw new Fault("JSON writes this character in a string as an escape, such as \\n.", at);
      } else if (code === 0x22) {
        this.#at = at + 1;
        return unquoted(this.#source.slice(start, this.#at), start);
      }
    }
    throw new Fault("This string does not end.", start);
  }

  #space(): string {
    return this.#match(space) ?? "";
  }

  #skip(character: string): boolean {
    if (this.#source[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0];
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }

  #expected(what: string, at: number): string {
    const next = this.#source[at];
    if (next === undefined) return `The text ends where JSON has ${what}.`;
    return `JSON has ${what} here, not ${JSON.stringify(next)}.`;
  }
}

class Layout implements JsonLayout {
  readonly before: string[] = [];
  readonly colon: string[] = [];
  readonly after: string[] = [];

  add(before: string, colon: string, after: string): void {
    this.before.push(before);
    this.colon.push(colon);
    this.after.push(after);
  }
}

function unquoted(quoted: string, offset: number): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new Fault("This string has an escape that JSON does not have.", offset);
  }
}
