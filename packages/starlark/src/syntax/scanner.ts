import { quote } from "../values/quote.ts";
import { fromUtf8, toUtf8 } from "../values/utf8.ts";
import type { Comment } from "./ast.ts";
import { unquote } from "./literals.ts";
import { SyntaxFault } from "./source-text.ts";

/** The keywords, and the words that Python uses and Starlark reserves (specification, "Lexical elements"). */
const keywords: ReadonlySet<string> = new Set(
  (
    "and break continue def elif else for if in lambda load not or pass return while " +
    "as async await class del except finally from global import is nonlocal raise try with yield"
  ).split(" "),
);

const identifier = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
const number = /0[xX][0-9a-fA-F]*|0[oO][0-7]*|0[bB][01]*|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d*)?/y;
const punctuation = /\*\*|<<=|>>=|\/\/=|<<|>>|\/\/|[=!<>+\-*/%&|^]=|[-=<>+*/%&|^~:;,.()[\]{}]/y;
const stringPrefix = /(?:rb|br|[rb])?(?=["'])/y;
const stringPrefixWithFormat = /(?:rb|br|[rbf])?(?=["'])/y;
const quotes = /"""|'''|["']/y;
const intPrefixes: Readonly<Record<string, string>> = { x: "hex", o: "octal", b: "binary" };
const comment = /#[^\n]*/y;
/** The space between tokens, and line breaks behind a backslash. */
const space = /(?:[ \t\r]|\\\r?\n)*/y;
const indentation = /[ \t]*/y;
const blankLine = /[ \t]*(?=\r*(?:[#\n]|$))/y;
const tabWidth = 8;
/** The digits of the largest int that a script can compute. */
const maxDigits = 20_000;

/** Splits a source text into tokens (specification, "Lexical elements"). The fields describe the current token. */
export class Scanner {
  readonly comments: Comment[] = [];
  /** The kind of the token; keywords and operators are named by their text. */
  kind = "newline";
  start = 0;
  /** The end of the text before the token, without the space and line breaks between them. */
  end = 0;
  /** The value of a literal, or the text of an identifier. */
  value: string | number | bigint = "";
  /** Where the text between the quotes of an f-string starts, which is its value; `undefined` for other tokens. */
  formatStart: number | undefined;
  protected readonly text: string;
  readonly #stringPrefix: RegExp;
  #offset: number;
  #tokenEnd = 0;
  #lineStart: boolean;
  /** How many brackets are open. */
  #depth: number;
  #indents = [0];
  /** The indent tokens that are not read yet; the outdent tokens if it is negative. */
  #pending = 0;
  /** Whether the line before has a fault, so that it is not known which blocks it opened or closed. */
  #afterFault = false;

  /** With `offset`, the text is read from there as the inside of brackets, as an expression of an f-string is. */
  constructor(text: string, dialect: { readonly fstrings?: boolean }, offset?: number) {
    this.text = text;
    this.#stringPrefix = dialect.fstrings === true ? stringPrefixWithFormat : stringPrefix;
    this.#offset = offset ?? (text.startsWith("\ufeff") ? 1 : 0);
    this.#lineStart = offset === undefined;
    this.#depth = this.#lineStart ? 0 : 1;
  }

  next(): void {
    this.end = this.#tokenEnd;
    this.formatStart = undefined;
    this.kind = this.#scan();
  }

  /** Skips the rest of the statement after a fault: to the next line that is not inside of brackets. */
  skipLine(): void {
    this.#depth = 0;
    this.#pending = 0;
    const newline = this.text.indexOf("\n", this.#offset);
    this.#offset = newline === -1 ? this.text.length : newline + 1;
    this.#lineStart = true;
    this.#afterFault = true;
    this.kind = "newline";
    this.next();
  }

  protected fail(message: string, offset: number = this.start): never {
    throw new SyntaxFault(offset, message);
  }

  #scan(): string {
    for (;;) {
      const atLineStart = this.#lineStart;
      this.#lineStart = false;
      const blank = atLineStart && this.#match(blankLine) !== undefined;
      if (atLineStart && !blank && this.#depth === 0) this.#readIndent();
      if (this.#pending !== 0) {
        this.start = this.#offset;
        const outdent = this.#pending < 0;
        this.#pending += outdent ? 1 : -1;
        return outdent ? "outdent" : "indent";
      }
      this.#match(space);
      this.start = this.#offset;
      const text = this.#match(comment)?.trimEnd();
      if (text !== undefined) this.comments.push({ start: this.start, text, ownLine: blank });
      this.start = this.#offset;
      const letter = this.text[this.#offset];
      if (letter === undefined) {
        if (this.#indents.length === 1) return "end of file";
        if (!atLineStart) {
          this.#lineStart = true;
          return "newline";
        }
        this.#outdentTo(0);
      } else if (letter === "\n") {
        this.#offset++;
        this.#lineStart = true;
        if (this.#depth === 0 && !blank) return "newline";
      } else {
        const kind = this.#scanToken();
        this.#tokenEnd = this.#offset;
        return kind;
      }
    }
  }

  /** Reads the spaces before a statement, which open a block or end some. */
  #readIndent(): void {
    const width = indentWidth(this.#match(indentation) ?? "");
    if (this.#outdentTo(width) < width) {
      this.#indents.push(width);
      if (!this.#afterFault && this.#pending < 0)
        this.fail("unindent does not match any outer indentation level", this.#offset);
      if (!this.#afterFault) this.#pending++;
    }
    this.#afterFault = false;
  }

  /** Ends the blocks that are indented more than `width`. Returns the width of the one around them. */
  #outdentTo(width: number): number {
    for (;;) {
      const indent = this.#indents.at(-1) as number;
      if (indent <= width) return indent;
      this.#indents.pop();
      this.#pending--;
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const text = pattern.exec(this.text)?.[0];
    if (text !== undefined) this.#offset += text.length;
    return text;
  }

  #scanToken(): string {
    const prefix = this.#match(this.#stringPrefix);
    if (prefix !== undefined) return this.#scanString(prefix);
    const word = this.#match(identifier);
    if (word !== undefined) {
      this.value = word;
      return keywords.has(word) ? word : "identifier";
    }
    const digits = this.#match(number);
    if (digits !== undefined) return this.#scanNumber(digits);
    const operator = this.#match(punctuation);
    if (operator === undefined) {
      const character = String.fromCodePoint(this.text.codePointAt(this.#offset) ?? 0);
      if (character === "\\") this.fail("stray backslash in program");
      // As Go quotes a character.
      const quoted = fromUtf8(quote(toUtf8(character)).slice(1, -1));
      this.fail(`unexpected input character '${quoted}'`);
    }
    if ("([{".includes(operator)) this.#depth++;
    else if (")]}".includes(operator) && --this.#depth < 0) this.fail(`unexpected '${operator}'`);
    return operator;
  }

  #scanNumber(digits: string): string {
    if (digits.length > maxDigits)
      this.fail(`an int literal of ${digits.length} digits is too long`);
    const prefix = digits.charAt(1).toLowerCase();
    const base = intPrefixes[prefix];
    if (base !== undefined && digits.length === 2)
      this.fail(`invalid ${base} literal`, prefix === "x" ? this.start : this.#offset);
    const value = Number(digits);
    if (base === undefined && /[.eE]/.test(digits)) {
      if (!Number.isFinite(value)) this.fail("invalid float literal", this.#offset);
      this.value = value;
      return "float literal";
    }
    if (/^0+[1-9]/.test(digits)) {
      if (/[89]/.test(digits)) this.fail("invalid int literal");
      this.fail(`obsolete form of octal literal; use 0o${digits.slice(1)}`, this.#offset);
    }
    this.value = Number.isSafeInteger(value) ? value : BigInt(digits);
    return "int literal";
  }

  #scanString(prefix: string): string {
    const { text } = this;
    const close = this.#match(quotes) ?? "";
    const open = this.#offset;
    for (; !text.startsWith(close, this.#offset); this.#offset++) {
      const letter = text[this.#offset];
      if (letter === undefined) this.fail("unexpected EOF in string");
      if (letter === "\n" && close.length === 1) this.fail("unexpected newline in string");
      if (letter === "\\") this.#offset += text.startsWith("\r\n", this.#offset + 1) ? 2 : 1;
    }
    const body = text.slice(open, this.#offset);
    this.#offset += close.length;
    if (prefix === "f") this.formatStart = open;
    this.value = prefix === "f" ? body : unquote(body, this.start, prefix);
    return prefix.includes("b") ? "bytes literal" : "string literal";
  }
}

function indentWidth(spaces: string): number {
  let width = 0;
  for (const letter of spaces) width += letter === "\t" ? tabWidth - (width % tabWidth) : 1;
  return width;
}
