/** POSIX.1-2024, section 9.3.5, in ASCII, as ripgrep has them. */
const posixClasses: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7f",
  blank: "\\t ",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
};

/** A line feed of a pattern is the end of a line: no tool shows the carriage return before it. */
export const lineEnd = "(?:\\r?\\n)";

/** Escapes of other engines, outside of a set. */
const escapes: Readonly<Record<string, string>> = {
  "<": "\\b(?=\\w)",
  ">": "\\b(?<=\\w)",
  a: "\\x07",
  e: "\\x1b",
  h: "[\\t ]",
  H: "[^\\t ]",
  R: "(?:\\r\\n|[\\n\\v\\f\\r])",
};

const setEscapes: Readonly<Record<string, string>> = { a: "\\x07", e: "\\x1b", h: "\\t " };

/** The advice for an escape that has no translation. */
const instead: Readonly<Record<string, string>> = {
  K: "write what comes before it as (?<=…)",
  G: "leave it out",
  X: "write .",
  N: "write .",
};

/** Characters that need no escape. With one, a pattern is invalid with the flag `u`. */
const plain = /^[^A-Za-z\d^$\\.*+?()[\]{}|/]$/;

/** Letters that are escapes in JavaScript. */
const known = /[bBdDsSwWnrtvfcxukpP]/;

/**
 * Translates a regular expression with forms of GNU grep, PCRE or ripgrep to one of JavaScript that means the same. Without
 * it, JavaScript reads most of them as characters, and nothing matches.
 *
 * @throws SyntaxError for a form that has no translation, with what to write.
 */
export function translatePattern(pattern: string, multiline: boolean): string {
  // A line is matched by itself.
  const anchors: Readonly<Record<string, string>> = multiline
    ? { n: lineEnd, A: "(?<![^])", z: "(?![^])", Z: "(?=\\n?(?![^]))" }
    : { A: "^", z: "$", Z: "$" };
  // For JavaScript, a carriage return alone and U+2028 end a line too.
  const ends: Readonly<Record<string, string>> = multiline
    ? { "\n": lineEnd, "^": "(?<![^\\n])", $: "(?=\\r?(?:\\n|(?![^])))" }
    : { ".": "[^\\n]" };
  let source = "";
  let at = 0;
  let inSet = false;
  const take = (form: RegExp): RegExpExecArray | undefined => {
    form.lastIndex = at;
    const found = form.exec(pattern) ?? undefined;
    if (found !== undefined) at += found[0].length;
    return found;
  };
  while (at < pattern.length) {
    const quoted = take(/\\Q([^]*?)(?:\\E|$)/y);
    if (quoted !== undefined) source += escapeText(quoted[1] as string);
    else if (pattern[at] === "\\") {
      checkEscape(pattern.slice(at, at + 12), inSet || multiline);
      const code = take(/\\x\{([\dA-Fa-f]{1,6})\}/y)?.[1];
      const property = code === undefined ? take(/\\([pP])([A-Z])(?!\{)/y) : undefined;
      if (code !== undefined) source += toCharacter(Number.parseInt(code, 16));
      else if (property !== undefined) source += `\\${property[1]}{${property[2]}}`;
      else {
        const letter = pattern[at + 1] ?? "";
        const translated = inSet ? setEscapes[letter] : (anchors[letter] ?? escapes[letter]);
        if (translated === undefined && /[A-Za-z]/.test(letter) && !known.test(letter)) {
          throw new SyntaxError(
            `\\${letter} is not supported: ${instead[letter] ?? `for the letter, write ${letter}`}`,
          );
        }
        source +=
          translated ?? (plain.test(letter) && !(inSet && letter === "-") ? letter : `\\${letter}`);
        at += 2;
      }
    } else if (inSet) {
      const named = take(/\[([:.=])(\^?)(\w+)\1\]/y);
      if (named !== undefined) source += toMembers(named);
      else {
        const operator = take(/&&|~~|--(?=\[)/y)?.[0];
        if (operator !== undefined) {
          throw new SyntaxError(`${operator} in a set is not supported: write its characters`);
        }
        inSet = pattern[at] !== "]";
        source += pattern[at];
        at += 1;
      }
    } else if (pattern[at] === "[") {
      inSet = true;
      // As the first member, `]` is one.
      source += take(/\[\](?=[^\]]*\])/y) === undefined ? (take(/\[\^?/y)?.[0] ?? "") : "[\\]";
    } else {
      if (pattern[at] === "\n" && !multiline) throw lineEndError("A line end");
      const most = take(/\{,(\d+)\}/y)?.[1];
      const character = pattern[at] as string;
      if (most !== undefined) source += `{0,${most}}`;
      else source += ends[character] ?? character;
      if (most === undefined) at += 1;
    }
  }
  checkReferences(source);
  return source;
}

/** Escapes of a line end. */
const lineEnds = /^\\(?:n|R|x0[aA]|x\{0*[aA]\}|u000[aA]|u\{0*[aA]\}|c[jJ]|012)/;

/** Escapes that JavaScript reads as letters, since what has to follow them is missing. */
const incomplete =
  /^\\(?:x(?![\dA-Fa-f]{2}|\{)|u(?![\dA-Fa-f]{4}|\{)|c(?![A-Za-z])|k(?!<)|[pP](?![A-Z{]))/;

/** @throws SyntaxError for an escape that would match nothing, or only letters. */
function checkEscape(escape: string, mayEndLine: boolean): void {
  const end = mayEndLine ? undefined : lineEnds.exec(escape)?.[0];
  if (end !== undefined) throw lineEndError(end);
  if (incomplete.test(escape)) {
    const letter = escape.slice(0, 2);
    throw new SyntaxError(`${letter} is incomplete: write ${forms[letter[1] as string]}`);
  }
}

/** Complete forms of escapes. */
const forms: Readonly<Record<string, string>> = {
  x: "\\x41",
  u: "\\u0041",
  c: "\\cA",
  k: "\\k<name>",
  p: "\\p{L}",
  P: "\\P{L}",
};

export function lineEndError(what: string): SyntaxError {
  return new SyntaxError(`${what} is not in a line: set multiline`);
}

/** @throws SyntaxError for a reference to a group that is not there: JavaScript reads it as a character. */
function checkReferences(source: string): void {
  const numbers = Array.from(
    source.matchAll(/\\(?:([1-9]\d?)(?!\d)|[^])|\[(?:\\[^]|[^\]\\])*\]/g),
    ([, number]) => Number(number ?? 0),
  );
  const last = Math.max(0, ...numbers);
  if (last === 0) return;
  const groups = (new RegExp(`${source}|`).exec("")?.length ?? 1) - 1;
  if (last > groups) throw new SyntaxError(`\\${last} refers to a group that is not there`);
}

/** A text as a regular expression that matches it. */
export function escapeText(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function toCharacter(code: number): string {
  if (code > 0x10_ff_ff) throw new SyntaxError(`\\x{${code.toString(16)}} is no character`);
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : String.fromCodePoint(code);
}

function toMembers([form = "", kind, isNegated, name = ""]: RegExpExecArray): string {
  const members =
    kind === ":" && Object.hasOwn(posixClasses, name) ? posixClasses[name] : undefined;
  if (members === undefined)
    throw new SyntaxError(`${form} is not supported: write its characters`);
  if (isNegated !== "") throw new SyntaxError(`${form} is not supported: write [^[:${name}:]]`);
  return members;
}
