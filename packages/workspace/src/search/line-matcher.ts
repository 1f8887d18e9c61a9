import { escapeText, lineEnd, lineEndError, translatePattern } from "./translate-pattern.ts";

/** A match in a text. */
export interface LineMatch {
  /** From 1 on. */
  readonly line: number;
  /** Offsets of the line in the text, without its line ending. */
  readonly start: number;
  readonly end: number;
  /** The offset at which the first match in the line begins. */
  readonly at: number;
}

/** How a pattern is matched. */
export interface PatternOptions {
  readonly pattern: string;
  /** The pattern is a text, not a regular expression. */
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  /** The pattern may match across lines. */
  readonly multiline: boolean;
}

/** Finds the lines of texts that a pattern matches. */
export class LineMatcher {
  readonly #whole: RegExp;
  readonly #line: RegExp;
  readonly #multiline: boolean;
  /** The pattern depends on what is around the match, so that each line is tested by itself. */
  readonly #looksAround: boolean;
  readonly #namesReturn: boolean;
  /** Bytes that every match contains; undefined: unknown. */
  readonly required: Buffer | undefined;

  /** @throws SyntaxError for an invalid regular expression. */
  constructor({ pattern, literal, ignoreCase, multiline }: PatternOptions) {
    if (literal && !multiline && pattern.includes("\n")) throw lineEndError("A line end");
    const source = literal
      ? escapeText(pattern).replaceAll("\n", lineEnd)
      : translatePattern(pattern, multiline);
    const flags = ignoreCase ? "i" : "";
    // Patterns of other engines are often invalid with the flag `u`, such as `\-`; some mean something else without.
    const needsUnicode = /\\(?:[pP]|u)\{/.test(source);
    const unicode = needsUnicode || isValid(source, `${flags}u`) ? "u" : "";
    // Of a line alone, `^` and `$` are its ends; the first search for a candidate may find more.
    this.#whole = new RegExp(source, `${flags}${unicode}g${multiline ? "s" : "m"}`);
    this.#line = new RegExp(source, `${flags}${unicode}`);
    this.#multiline = multiline;
    this.#namesReturn = /\\r|\r/.test(source);
    this.#looksAround = /\(\?<?[=!]/.test(source);
    const text = ignoreCase ? "" : literal ? getAsciiRun(pattern) : requiredText(source);
    this.required = text.length > 1 ? Buffer.from(text) : undefined;
  }

  /** All matching lines of a text, each once. */
  *find(text: string): Generator<LineMatch> {
    let line = 1;
    let counted = 0;
    let from = 0;
    while (from < text.length) {
      let start = from;
      let matchAt = from;
      if (!this.#looksAround || this.#multiline) {
        this.#whole.lastIndex = from;
        const found = this.#whole.exec(text);
        if (found === null) return;
        matchAt = found.index;
        start = found.index === 0 ? 0 : text.lastIndexOf("\n", found.index - 1) + 1;
      }
      const lineFeed = text.indexOf("\n", start);
      const next = lineFeed === -1 ? text.length : lineFeed;
      const end = next > start && text[next - 1] === "\r" ? next - 1 : next;
      // There is no line after the last line feed.
      if (start === text.length) return;
      const at = this.#multiline ? matchAt : this.#findIn(text, start, end, next);
      if (at !== undefined) {
        for (
          let lineEnd = text.indexOf("\n", counted);
          lineEnd !== -1 && lineEnd < start;
          lineEnd = text.indexOf("\n", lineEnd + 1)
        )
          line += 1;
        counted = start;
        yield { line, start, end, at: Math.min(at, end) };
      }
      if (lineFeed === -1) return;
      from = lineFeed + 1;
    }
  }

  /** The place of the first match in a line; with the carriage return at its end if the pattern names one. */
  #findIn(text: string, start: number, end: number, next: number): number | undefined {
    const found =
      this.#line.exec(text.slice(start, end)) ??
      (this.#namesReturn && end < next ? this.#line.exec(text.slice(start, next)) : null);
    return found === null ? undefined : start + found.index;
  }
}

function isValid(source: string, flags: string): boolean {
  try {
    // oxlint-disable-next-line no-new -- it throws for an invalid pattern
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

/** The longest run of ASCII characters in a line, whose bytes are the same in all encodings that are read bytewise. */
function getAsciiRun(text: string): string {
  let best = "";
  for (const run of text.split(/[\P{ASCII}\n]+/u)) if (run.length > best.length) best = run;
  return best;
}

/** An escape with all that belongs to it, in either mode of regular expressions. */
const escape =
  /\\(?:u\{[^}]*\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|k<[^>]*>|[pPq]\{[^}]*\}|\d+|[^])/y;

/** The longest run of ASCII characters that every match of a regular expression contains; empty: unknown. */
export function requiredText(pattern: string): string {
  let best = "";
  let run = "";
  const endRun = (): void => {
    const ascii = getAsciiRun(run);
    if (ascii.length > best.length) best = ascii;
    run = "";
  };
  let at = 0;
  while (at < pattern.length) {
    const character = pattern[at] as string;
    let literal: string | undefined;
    if (character === "|") return "";
    if (character === "\\") {
      escape.lastIndex = at;
      const [escaped = "\\"] = escape.exec(pattern) ?? [];
      if (/^\\[^a-zA-Z\d]$/.test(escaped)) literal = escaped.slice(1);
      at += escaped.length;
    } else if (character === "[" || character === "(") {
      const end = endOfGroup(pattern, at);
      // An unusual form: nothing is concluded from it.
      if (end === undefined) return "";
      at = end;
    } else {
      if (!".^$*+?{}".includes(character)) literal = character;
      at += 1;
    }
    const quantifier = /^(?:[*?]|\{)/.test(pattern.slice(at, at + 1));
    if (literal !== undefined && !quantifier) run += literal;
    // A character that may be missing, or repeated, ends the run.
    if (literal === undefined || quantifier || pattern[at] === "+") endRun();
    if (quantifier || pattern[at] === "+")
      at += (/^(?:[*?+]|\{[^}]*\})[?+]?/.exec(pattern.slice(at))?.[0] ?? "?").length;
  }
  endRun();
  return best;
}

/** The place behind a class or a group; undefined: it has no end. */
function endOfGroup(pattern: string, start: number): number | undefined {
  let depth = 0;
  let inClass = false;
  for (let at = start; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "\\") at += 1;
    else if (inClass) {
      if (character !== "]") continue;
      inClass = false;
      if (depth === 0) return at + 1;
    } else if (character === "[") inClass = true;
    else if (character === "(") depth += 1;
    else if (character === ")") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
