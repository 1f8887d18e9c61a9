/** Anchors of other dialects, which JavaScript reads as letters. */
const anchors: Readonly<Record<string, string>> = { A: "^", Z: "$", z: "$" };
const syntax = /[$()*+.?[\\\]^{|}/]/;
const quantifier = /^\{\d+(?:,\d*)?\}/;
/** A character by its octal number, within brackets (ECMAScript, Annex B.1.2). */
const legacyOctal = /^(?:[0-3][0-7]{0,2}|[4-7][0-7]?)/;
const maxLength = 10_000;

/**
 * Converts a regular expression to the form that JSON Schema 2020-12 requires: valid in JavaScript with the flag `u`.
 * Older ones, in which a backslash may precede any character and a brace may be unbalanced, are rewritten with the same
 * meaning.
 *
 * @returns undefined if it is not a regular expression in either form.
 */
export function toUnicodePattern(pattern: string): string | undefined {
  if (isValid(pattern, "u")) return pattern;
  if (pattern.length > maxLength || (!isValid(pattern, "") && !/\\[AZz]/.test(pattern))) {
    return undefined;
  }
  const written = new Rewriting(pattern).run();
  return isValid(written, "u") ? written : undefined;
}

function isValid(pattern: string, flags: string): boolean {
  try {
    RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

class Rewriting {
  readonly #pattern: string;
  #position = 0;
  #result = "";

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  run(): string {
    while (this.#position < this.#pattern.length) {
      const character = this.#pattern.charAt(this.#position);
      if (character === "\\") this.#result += this.#rewriteEscape(false);
      else if (character === "[") this.#rewriteClass();
      else this.#rewriteCharacter(character);
    }
    return this.#result;
  }

  /** Escapes braces that are not quantifiers, and unbalanced brackets. */
  #rewriteCharacter(character: string): void {
    const rest = this.#pattern.slice(this.#position);
    const counts = character === "{" ? quantifier.exec(rest)?.[0] : undefined;
    if (counts !== undefined && this.#result !== "") {
      this.#append(counts, counts.length);
    } else {
      this.#append(/[{}\]]/.test(character) ? `\\${character}` : character, 1);
    }
  }

  #rewriteClass(): void {
    const negated = this.#pattern.charAt(this.#position + 1) === "^";
    this.#append(negated ? "[^" : "[", negated ? 2 : 1);
    /** True if the last item is a set of characters, with which no range can begin. */
    let isSet = false;
    for (;;) {
      const character = this.#pattern.charAt(this.#position);
      if (character === "") return;
      if (character === "]") return this.#append("]", 1);
      if (character === "-") {
        const next = this.#pattern.slice(this.#position + 1, this.#position + 3);
        const joins = !isSet && !/^\\[dDsSwWpP]/.test(next) && !next.startsWith("]");
        this.#append(joins && !/\[\^?$/.test(this.#result) ? "-" : "\\-", 1);
        isSet = false;
      } else if (character === "\\") {
        const escape = this.#rewriteEscape(true);
        isSet = /^\\[dDsSwWpP]/.test(escape);
        this.#result += escape;
      } else {
        isSet = false;
        this.#append(character === "[" ? "\\[" : character, 1);
      }
    }
  }

  /** Rewrites an escape sequence. */
  #rewriteEscape(inClass: boolean): string {
    const rest = this.#pattern.slice(this.#position + 1);
    const known =
      /^(?:[dDsSwWfnrtv]|c[A-Za-z]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|u\{[\dA-Fa-f]{1,6}\}|[pP]\{[\w=]+\}|0(?!\d))/.exec(
        rest,
      ) ?? (inClass ? /^[b-]/ : /^(?:[bB]|k<\w+>|[1-9]\d*)/).exec(rest);
    const [word] = known ?? [];
    if (word !== undefined && isValid(inClass ? `[\\${word}]` : context(word), "u")) {
      this.#position += word.length + 1;
      return `\\${word}`;
    }
    const [octal] = (inClass && legacyOctal.exec(rest)) || [];
    if (octal !== undefined) {
      this.#position += octal.length + 1;
      return `\\x${parseInt(octal, 8).toString(16).padStart(2, "0")}`;
    }
    const character = rest.charAt(0);
    this.#position += 2;
    const anchor = inClass ? undefined : anchors[character];
    if (anchor !== undefined) return anchor;
    return syntax.test(character) || (inClass && character === "-") ? `\\${character}` : character;
  }

  #append(written: string, length: number): void {
    this.#result += written;
    this.#position += length;
  }
}

/** Adds the group to which a back reference refers, because it is only valid with it. */
function context(word: string): string {
  if (/^[1-9]/.test(word)) return `${"()".repeat(Math.min(Number(word), 99))}\\${word}`;
  return word.startsWith("k") ? `(?${word.slice(1)})\\${word}` : `\\${word}`;
}
