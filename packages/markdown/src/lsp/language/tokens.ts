/** The text around an offset, read token by token: it needs no complete program. */
export interface CursorContext {
  /** Inside of a comment. */
  readonly isComment: boolean;
  /** The string in which the offset is. */
  readonly string?: { readonly start: number; readonly value: string; readonly quote: string };
  /** The identifier that ends at the offset, perhaps empty, and its start. */
  readonly word: { readonly text: string; readonly start: number };
  /** The offset of the dot before the word. */
  readonly dot?: number;
  /** The brackets that are open, the innermost last. */
  readonly brackets: readonly OpenBracket[];
}

/** A bracket without its end. */
interface OpenBracket {
  readonly kind: "(" | "[" | "{";
  readonly start: number;
  /** The number of commas directly in it. */
  readonly commas: number;
  /** The name of the argument that the offset is in: `k` of `f(k=`. */
  readonly keyword?: string;
  /** The names of the arguments that are written before the offset. */
  readonly keywords: readonly string[];
  /** The offset behind the last comma, or behind the bracket. */
  readonly argument: number;
}

const stringStart = /[rRbBfF]{0,2}("""|'''|"|')/y;
const wordPattern = /[\p{L}_][\p{L}\p{N}_]*/uy;
const numberPattern = /\d[\w.]*/y;

type Bracket = { -readonly [Key in keyof OpenBracket]: OpenBracket[Key] } & { keywords: string[] };

/** Reads a text up to an offset. A bracket that is open where a statement starts has no end: it is closed there. */
export function readContext(text: string, offset: number): CursorContext {
  const brackets: Bracket[] = [];
  let word = { text: "", start: offset };
  let dot: number | undefined;
  let beforeWord: number | undefined;
  let at = 0;
  const reset = (): void => {
    word = { text: "", start: offset };
    dot = undefined;
  };
  while (at < offset) {
    const character = text[at] as string;
    if (character === "#") {
      const end = text.indexOf("\n", at);
      if (end === -1 || end >= offset) return { isComment: true, word, brackets };
      at = end;
      continue;
    }
    stringStart.lastIndex = at;
    const string = stringStart.exec(text);
    if (string !== null) {
      const quote = string[1] as string;
      const start = stringStart.lastIndex;
      const end = findStringEnd(text, start, quote);
      if (end >= offset) {
        const value = text.slice(start, offset);
        return { isComment: false, string: { start, value, quote }, word, brackets };
      }
      reset();
      at = end + (text.startsWith(quote, end) ? quote.length : 0);
      continue;
    }
    wordPattern.lastIndex = at;
    const name = wordPattern.exec(text)?.[0];
    if (name !== undefined) {
      // A statement starts at the beginning of a line, and no expression does so by chance with these words.
      if (/^(?:def|return|for|if|while|load)$/.test(name) && isLineStart(text, at)) {
        if (name !== "for" && name !== "if") brackets.length = 0;
      }
      const end = at + name.length;
      if (end >= offset) {
        word = { text: text.slice(at, offset), start: at };
        dot = beforeWord;
        return toContext(word, dot, brackets);
      }
      word = { text: name, start: at };
      beforeWord = undefined;
      at = end;
      continue;
    }
    numberPattern.lastIndex = at;
    const number = numberPattern.exec(text)?.[0];
    if (number !== undefined) {
      at += number.length;
      beforeWord = undefined;
      continue;
    }
    const top = brackets.at(-1);
    if (character === ".") beforeWord = at;
    else if (!/\s/.test(character)) beforeWord = undefined;
    if (character === "(" || character === "[" || character === "{")
      brackets.push({ kind: character, start: at, commas: 0, argument: at + 1, keywords: [] });
    else if (character === ")" || character === "]" || character === "}") brackets.pop();
    else if (character === "," && top !== undefined) {
      top.commas++;
      top.argument = at + 1;
      delete top.keyword;
    } else if (character === "=" && top !== undefined && text[at + 1] !== "=") {
      const written = text.slice(top.argument, at).trim();
      if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(written) && top.kind === "(") {
        top.keyword = written;
        top.keywords.push(written);
      }
    } else if (character === "\n" && brackets.length === 0) beforeWord = undefined;
    at++;
  }
  return toContext({ text: "", start: offset }, beforeWord, brackets);
}

function toContext(
  word: CursorContext["word"],
  dot: number | undefined,
  brackets: readonly OpenBracket[],
): CursorContext {
  return { isComment: false, word, ...(dot !== undefined && { dot }), brackets };
}

function isLineStart(text: string, offset: number): boolean {
  return /^[ \t]*$/.test(text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset));
}

/** The offset of the closing quotes; for a string without an end, the end of its line or of the text. */
function findStringEnd(text: string, start: number, quote: string): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text.startsWith(quote, at)) return at;
    else if (quote.length === 1 && text[at] === "\n") return at;
  }
  return text.length;
}
