import { fromUtf8, quote, toUtf8 } from "../values/utf8.ts";
import type { Comment } from "./ast.ts";
import { unquote } from "./literals.ts";
import { SyntaxFault } from "./source-text.ts";

/** The kinds of tokens; keywords and operators are named by their text. */
export type TokenKind = string;

/** The keywords, and the words that Python uses and Starlark reserves (specification, "Lexical elements"). */
const keywords: ReadonlySet<string> = new Set(
  (
    "and break continue def elif else for if in lambda load not or pass return while " +
    "as async await class del except finally from global import is nonlocal raise try with yield"
  ).split(" "),
);

const identifier = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
const number = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d*)?/y;
const prefixedInt = /0(?:[xX][0-9a-fA-F]*|[oO][0-7]*|[bB][01]*)/y;
const punctuation = /\*\*|<<=|>>=|\/\/=|<<|>>|\/\/|[=!<>+\-*/%&|^]=|[-=<>+*/%&|^~:;,.()[\]{}]/y;
const stringPrefix = /(?:rb|br|[rb])?(?=["'])/y;
const stringPrefixWithFormat = /(?:rb|br|[rbf])?(?=["'])/y;
const intPrefixes: Readonly<Record<string, string>> = { x: "hex", o: "octal", b: "binary" };
const comment = /#[^\n]*/y;
const continuation = /\\\r?\n/y;
const indentation = /[ \t]*/y;
const blankLine = /[ \t]*(?=\r*(?:[#\n]|$))/y;
const tabWidth = 8;
/** The digits of the largest int that a script can compute. */
const maxDigits = 20_000;

/** Splits a source text into tokens (specification, "Lexical elements"). The fields describe the current token. */
export class Scanner {
  readonly comments: Comment[] = [];
  kind: TokenKind = "newline";
  start = 0;
  /** The end of the text before the token, without the space and line breaks between them. */
  end = 0;
  /** The value of a literal, or the text of an identifier. */
  value: string | number | bigint = "";
  /** Whether a string is an f-string: its value is the text between the quotes. */
  formatted = false;
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

  /** With `offset`, the text is read from there as the inside of brackets, as an expression of an f-string is. */
  constructor(text: string, options: { readonly fstrings: boolean; readonly offset?: number }) {
    this.text = text;
    this.#stringPrefix = options.fstrings ? stringPrefixWithFormat : stringPrefix;
    this.#offset = options.offset ?? (text.startsWith("\ufeff") ? 1 : 0);
    this.#lineStart = options.offset === undefined;
    this.#depth = this.#lineStart ? 0 : 1;
  }

  next(): void {
    this.end = this.#tokenEnd;
    this.kind = this.#scan();
  }

  /** Skips the rest of the statement after a fault: to the next line that is not inside of brackets. */
  skipLine(): void {
    this.#depth = 0;
    this.#pending = 0;
    const newline = this.text.indexOf("\n", this.#offset);
    this.#offset = newline === -1 ? this.text.length : newline + 1;
    this.#lineStart = true;
    // Blocks that the skipped line opened or closed are not known: the next line decides.
    const line = /^(?:[ \t\r]*(?:#[^\n]*)?\n)*([ \t]*)/.exec(this.text.slice(this.#offset));
    const indent = indentWidth(line?.[1] ?? "");
    if (this.#outdentTo(indent) < indent) this.#indents.push(indent);
    this.kind = "newline";
    this.next();
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

  protected fail(message: string, offset: number = this.start): never {
    throw new SyntaxFault(offset, message);
  }

  #scan(): TokenKind {
    const text = this.text;
    for (;;) {
      const atLineStart = this.#lineStart;
      this.#lineStart = false;
      const blank = atLineStart && this.#readIndent();
      if (this.#pending !== 0) {
        this.start = this.#offset;
        const outdent = this.#pending < 0;
        this.#pending += outdent ? 1 : -1;
        return outdent ? "outdent" : "indent";
      }
      while (" \t\r".includes(text[this.#offset] ?? "\n")) this.#offset++;
      if (text[this.#offset] === "#") {
        const start = this.#offset;
        this.comments.push({ start, text: this.#match(comment)?.trimEnd() ?? "", ownLine: blank });
      }
      const letter = text[this.#offset];
      this.start = this.#offset;
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
      } else if (letter === "\\") {
        if (this.#match(continuation) === undefined) this.fail("stray backslash in program");
      } else {
        const kind = this.#scanToken(letter);
        this.#tokenEnd = this.#offset;
        return kind;
      }
    }
  }

  /** Reads the spaces of a line. Returns whether the line is blank. */
  #readIndent(): boolean {
    if (this.#match(blankLine) !== undefined) return true;
    const width = indentWidth(this.#match(indentation) ?? "");
    if (this.#depth > 0) return false;
    const closed = width < (this.#indents.at(-1) as number);
    if (this.#outdentTo(width) === width) return false;
    this.#indents.push(width);
    if (closed) this.fail("unindent does not match any outer indentation level", this.#offset);
    this.#pending++;
    return false;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const text = pattern.exec(this.text)?.[0];
    if (text !== undefined) this.#offset += text.length;
    return text;
  }

  #scanToken(letter: string): TokenKind {
    const prefix = "rbf\"'".includes(letter) ? this.#match(this.#stringPrefix) : undefined;
    if (prefix !== undefined) return this.#scanString(prefix);
    const word = this.#match(identifier);
    if (word !== undefined) {
      this.value = word;
      return keywords.has(word) ? word : "identifier";
    }
    const digits = ".0123456789".includes(letter)
      ? (this.#match(prefixedInt) ?? this.#match(number))
      : undefined;
    if (digits !== undefined) return this.#scanNumber(digits);
    const operator = this.#match(punctuation);
    if (operator === undefined) {
      const point = String.fromCodePoint(this.text.codePointAt(this.#offset) ?? 0);
      this.#offset += point.length;
      // As Go quotes a character.
      const quoted = point === "!" ? "!" : fromUtf8(quote(toUtf8(point)).slice(1, -1));
      this.fail(`unexpected input character '${quoted}'`);
    }
    if ("([{".includes(operator)) this.#depth++;
    else if (")]}".includes(operator)) {
      if (this.#depth === 0) this.fail(`unexpected '${operator}'`);
      this.#depth--;
    }
    return operator;
  }

  #scanNumber(digits: string): TokenKind {
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

  #scanString(prefix: string): TokenKind {
    const text = this.text;
    const open = this.#offset;
    const quote = text.charAt(open);
    const triple = text.startsWith(quote.repeat(3), open);
    const close = triple ? quote.repeat(3) : quote;
    let index = open + close.length;
    for (; !text.startsWith(close, index); index++) {
      const letter = text[index];
      if (letter === undefined || (letter === "\n" && !triple)) {
        this.#offset = index;
        this.fail(`unexpected ${letter === undefined ? "EOF" : "newline"} in string`);
      }
      if (letter === "\\" && index + 1 < text.length)
        index += text.startsWith("\r\n", index + 1) ? 2 : 1;
    }
    this.#offset = index + close.length;
    this.formatted = prefix === "f";
    const body = text.slice(open + close.length, index);
    const bytes = prefix.includes("b");
    const raw = prefix.includes("r");
    this.value = this.formatted ? body : unquote(body, this.start, { raw, bytes });
    return bytes ? "bytes literal" : "string literal";
  }
}

function indentWidth(spaces: string): number {
  let width = 0;
  for (const letter of spaces) width += letter === "\t" ? tabWidth - (width % tabWidth) : 1;
  return width;
}
