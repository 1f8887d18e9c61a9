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
    ? { A: "(?<![^])", z: "(?![^])", Z: "(?=\\n?(?![^]))" }
    : { A: "^", z: "$", Z: "$" };
  // For JavaScript, a carriage return alone and U+2028 end a line too.
  const ends: Readonly<Record<string, string>> = multiline
    ? { "^": "(?<![^\\n])", $: "(?=\\r?(?:\\n|(?![^])))" }
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
      const code = take(/\\x\{([\dA-Fa-f]{1,6})\}/y)?.[1];
      const property = code === undefined ? take(/\\([pP])([A-Z])(?!\{)/y) : undefined;
      if (code !== undefined) source += toCharacter(Number.parseInt(code, 16));
      else if (property !== undefined) source += `\\${property[1]}{${property[2]}}`;
      else {
        const letter = pattern[at + 1] ?? "";
        if (letter === "n" && !inSet && !multiline) {
          throw new SyntaxError("\\n is not in a line: set multiline");
        }
        const translated = inSet ? setEscapes[letter] : (anchors[letter] ?? escapes[letter]);
        if (translated === undefined && /[A-Za-z]/.test(letter) && !known.test(letter)) {
          throw new SyntaxError(
            `\\${letter} is not supported: ${instead[letter] ?? `for the letter, write ${letter}`}`,
          );
        }
        source += translated ?? `\\${letter}`;
        at += 2;
      }
    } else if (inSet) {
      const named = take(/\[([:.=])(\^?)(\w+)\1\]/y);
      if (named !== undefined) source += toMembers(named);
      else {
        inSet = pattern[at] !== "]";
        source += pattern[at];
        at += 1;
      }
    } else if (pattern[at] === "[") {
      inSet = true;
      // As the first member, `]` is one.
      source += take(/\[\](?=[^\]]*\])/y) === undefined ? (take(/\[\^?/y)?.[0] ?? "") : "[\\]";
    } else {
      const most = take(/\{,(\d+)\}/y)?.[1];
      const character = pattern[at] as string;
      if (most !== undefined) source += `{0,${most}}`;
      else source += ends[character] ?? character;
      if (most === undefined) at += 1;
    }
  }
  return source;
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
