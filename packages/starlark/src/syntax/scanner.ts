import type { Comment } from "./ast.ts";
import { quote } from "../values/quote.ts";
import { fromUtf8, toUtf8 } from "../values/utf8.ts";
import { intFromLiteral, unquote } from "./literals.ts";
import { keywords, reservedWords } from "./token.ts";
import type { TokenKind } from "./token.ts";

/** A fault in the text that ends the statement it is in. */
export class SyntaxFault extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

const identifierStart = /[\p{L}_]/u;
const identifierRest = /[\p{L}\p{Nd}_]*/uy;
const asciiIdentifier = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d*)?/y;
const prefixedInt = /0(?:[xX][0-9a-fA-F]*|[oO][0-7]*|[bB][01]*)/y;
const punctuation = /\*\*|<<=|>>=|\/\/=|<<|>>|\/\/|[=!<>+\-*/%&|^]=|[-=<>+*/%&|^~:;,.()[\]{}]/y;
const stringPrefix = /(?:rb|br|r|b|f)(?=["'])/y;
const tabWidth = 8;
/** The digits of the largest int that a script can compute. */
const maxDigits = 20_000;

/** Splits a source text into tokens (specification, "Lexical elements"). The fields describe the current token. */
export class Scanner {
  readonly comments: Comment[] = [];
  kind: TokenKind = "newline";
  start = 0;
  end = 0;
  /** The value of a literal, or the text of an identifier. */
  value: string | number | bigint = "";
  /** The end of the previous token. */
  previousEnd = 0;
  /** The kind of quotes of a string that is an f-string, for its second reading. */
  formatted = false;
  readonly #text: string;
  readonly #fstrings: boolean;
  #offset: number;
  #lineStart = true;
  #depth = 0;
  #indents = [0];
  #pending = 0;

  /** With `offset`, the text is read from there as the inside of brackets, as an expression of an f-string is. */
  constructor(text: string, options: { readonly fstrings: boolean; readonly offset?: number }) {
    this.#text = text;
    this.#fstrings = options.fstrings;
    this.#offset = options.offset ?? (text.startsWith("\ufeff") ? 1 : 0);
    if (options.offset === undefined) return;
    this.#lineStart = false;
    this.#depth = 1;
  }

  /** Moves to the next token. */
  next(): void {
    this.previousEnd = this.end;
    const kind = this.#scan();
    this.kind = kind;
    this.end = this.#offset;
  }

  /** Skips the rest of the statement after a fault: to the next line that is not inside of brackets. */
  skipLine(): void {
    this.#depth = 0;
    this.#pending = 0;
    const newline = this.#text.indexOf("\n", this.#offset);
    this.#offset = newline === -1 ? this.#text.length : newline + 1;
    this.#lineStart = true;
    // Blocks that the skipped line opened or closed are not known: the next line decides.
    const indent = this.#nextIndent();
    while ((this.#indents.at(-1) as number) > indent) {
      this.#indents.pop();
      this.#pending--;
    }
    if ((this.#indents.at(-1) as number) < indent) this.#indents.push(indent);
    this.kind = "newline";
    this.next();
  }

  #nextIndent(): number {
    const line = /^(?:[ \t\r]*(?:#[^\n]*)?\n)*([ \t]*)/.exec(this.#text.slice(this.#offset));
    return indentWidth(line?.[1] ?? "");
  }

  #fail(offset: number, message: string): never {
    this.start = offset;
    this.#offset = Math.max(this.#offset, offset);
    throw new SyntaxFault(offset, message);
  }

  #scan(): TokenKind {
    const text = this.#text;
    for (;;) {
      const atLineStart = this.#lineStart;
      let blank = false;
      if (atLineStart) {
        this.#lineStart = false;
        blank = this.#readIndent();
      }
      if (this.#pending !== 0) {
        this.start = this.#offset;
        const outdent = this.#pending < 0;
        this.#pending += outdent ? 1 : -1;
        return outdent ? "outdent" : "indent";
      }
      while (isSpace(text.charCodeAt(this.#offset))) this.#offset++;
      if (text[this.#offset] === "#") this.#readComment(blank);
      const letter = text[this.#offset];
      if (letter === undefined) {
        this.start = this.#offset;
        if (this.#indents.length === 1) return "end of file";
        if (!atLineStart) {
          this.#lineStart = true;
          return "newline";
        }
        this.#pending = 1 - this.#indents.length;
        this.#indents = [0];
      } else if (letter === "\n") {
        this.start = this.#offset++;
        this.#lineStart = true;
        if (this.#depth === 0 && !blank) return "newline";
      } else if (letter === "\\") {
        const length = text.startsWith("\\\r\n", this.#offset) ? 3 : 2;
        if (length === 2 && text[this.#offset + 1] !== "\n")
          this.#fail(this.#offset, "stray backslash in program");
        this.#offset += length;
      } else {
        this.start = this.#offset;
        return this.#scanToken(letter);
      }
    }
  }

  /** Reads the spaces of a line. Returns whether the line is blank. */
  #readIndent(): boolean {
    const text = this.#text;
    const begin = this.#offset;
    while (text[this.#offset] === " " || text[this.#offset] === "\t") this.#offset++;
    let after = this.#offset;
    while (text[after] === "\r") after++;
    const letter = text[after];
    const blank = letter === "#" || letter === "\n" || letter === undefined;
    if (blank || this.#depth > 0) return blank;
    const width = indentWidth(text.slice(begin, this.#offset));
    if (width > (this.#indents.at(-1) as number)) {
      this.#indents.push(width);
      this.#pending++;
      return false;
    }
    while (width < (this.#indents.at(-1) as number)) {
      this.#indents.pop();
      this.#pending--;
    }
    if (width !== this.#indents.at(-1)) {
      this.#indents.push(width);
      this.#fail(this.#offset, "unindent does not match any outer indentation level");
    }
    return false;
  }

  #readComment(ownLine: boolean): void {
    const start = this.#offset;
    const newline = this.#text.indexOf("\n", start);
    this.#offset = newline === -1 ? this.#text.length : newline;
    const comment = this.#text.slice(start, this.#offset).trimEnd();
    this.comments.push({ start, text: comment, ownLine });
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const text = pattern.exec(this.#text)?.[0];
    if (text !== undefined) this.#offset += text.length;
    return text;
  }

  #scanToken(letter: string): TokenKind {
    if (letter === '"' || letter === "'") return this.#scanString("");
    const prefix =
      letter === "r" || letter === "b" || letter === "f" ? this.#match(stringPrefix) : undefined;
    if (prefix !== undefined && (prefix !== "f" || this.#fstrings)) return this.#scanString(prefix);
    if (prefix !== undefined) this.#offset -= prefix.length;
    const identifier = this.#scanIdentifier();
    if (identifier !== undefined) {
      this.value = identifier;
      return keywords.has(identifier) || reservedWords.has(identifier) ? identifier : "identifier";
    }
    if (
      (letter >= "0" && letter <= "9") ||
      (letter === "." && isDigit(this.#text.charCodeAt(this.#offset + 1)))
    ) {
      return this.#scanNumber();
    }
    const operator = this.#match(punctuation);
    if (operator === undefined) {
      const point = String.fromCodePoint(this.#text.codePointAt(this.#offset) ?? 0);
      this.#offset += point.length;
      if (point === "!") this.#fail(this.start, "unexpected input character '!'");
      this.#fail(this.start, `unexpected input character ${quoteCharacter(point)}`);
    }
    if ("([{".includes(operator)) this.#depth++;
    else if (")]}".includes(operator)) {
      if (this.#depth === 0) this.#fail(this.start, `unexpected '${operator}'`);
      this.#depth--;
    }
    return operator;
  }

  #scanIdentifier(): string | undefined {
    const ascii = this.#match(asciiIdentifier);
    const point = this.#text.codePointAt(this.#offset) ?? 0;
    if (point < 0x80) return ascii;
    if (ascii === undefined && !identifierStart.test(String.fromCodePoint(point))) return undefined;
    return (ascii ?? "") + (this.#match(identifierRest) ?? "");
  }

  #scanNumber(): TokenKind {
    const start = this.start;
    const prefixed = this.#match(prefixedInt);
    if (prefixed !== undefined) {
      if (prefixed.length > maxDigits)
        this.#fail(start, `an int literal of ${prefixed.length} digits is too long`);
      const base = prefixed[1]?.toLowerCase();
      if (prefixed.length === 2) {
        this.#fail(
          base === "x" ? start : this.#offset,
          `invalid ${base === "x" ? "hex" : base === "o" ? "octal" : "binary"} literal`,
        );
      }
      this.value = intFromLiteral(prefixed) ?? 0;
      return "int literal";
    }
    const digits = this.#match(number) as string;
    if (digits.length > maxDigits)
      this.#fail(start, `an int literal of ${digits.length} digits is too long`);
    if (/[.eE]/.test(digits)) {
      const value = Number(digits);
      if (!Number.isFinite(value)) this.#fail(this.#offset, "invalid float literal");
      this.value = value;
      return "float literal";
    }
    if (digits.length > 1 && digits.startsWith("0") && !/^0*$/.test(digits)) {
      if (/^[0-7]+$/.test(digits)) {
        this.#fail(this.#offset, `obsolete form of octal literal; use 0o${digits.slice(1)}`);
      }
      this.#fail(start, "invalid int literal");
    }
    this.value = intFromLiteral(digits) ?? 0;
    return "int literal";
  }

  #scanString(prefix: string): TokenKind {
    const text = this.#text;
    const open = this.#offset;
    const quote = text[open] as string;
    const triple = text.startsWith(quote.repeat(3), open);
    const close = triple ? quote.repeat(3) : quote;
    let index = open + close.length;
    for (; !text.startsWith(close, index); index++) {
      const letter = text[index];
      if (letter === undefined) {
        this.#offset = text.length;
        this.#fail(this.start, "unexpected EOF in string");
      }
      if (letter === "\n" && !triple) {
        this.#offset = index;
        this.#fail(this.start, "unexpected newline in string");
      }
      if (letter === "\\" && index + 1 < text.length)
        index += text.startsWith("\r\n", index + 1) ? 2 : 1;
    }
    this.#offset = index + close.length;
    this.formatted = prefix === "f";
    const body = text.slice(open + close.length, index);
    if (this.formatted) {
      this.value = body;
      return "string literal";
    }
    const bytes = prefix.includes("b");
    const content = unquote(body, { raw: prefix.includes("r"), bytes });
    if ("problem" in content) this.#fail(this.start, content.problem);
    this.value = content.value;
    return bytes ? "bytes literal" : "string literal";
  }
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0d;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function indentWidth(spaces: string): number {
  let width = 0;
  for (const letter of spaces) width += letter === "\t" ? tabWidth - (width % tabWidth) : 1;
  return width;
}

/** A character as Go quotes it in messages. */
function quoteCharacter(point: string): string {
  return `'${fromUtf8(quote(toUtf8(point)).slice(1, -1))}'`;
}
