/** What other dialects mean where JavaScript sees a letter. */
const anchors: Readonly<Record<string, string>> = { A: "^", Z: "$", z: "$" };
const syntax = /[$()*+.?[\\\]^{|}/]/;
const quantifier = /^\{\d+(?:,\d*)?\}/;
/** A character by its number, within brackets (ECMAScript, Annex B.1.2). */
const legacyOctal = /^(?:[0-3][0-7]{0,2}|[4-7][0-7]?)/;
const maxLength = 10_000;

/**
 * A regular expression as JSON Schema 2020-12 wants it: one of JavaScript's with the flag `u`. Older ones, in which a
 * backslash may stand before anything and a brace alone, are written anew, with the same meaning.
 *
 * @returns undefined for what is no regular expression in either way.
 */
export function unicodePattern(pattern: string): string | undefined {
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
  #at = 0;
  #result = "";

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  run(): string {
    while (this.#at < this.#pattern.length) {
      const character = this.#pattern.charAt(this.#at);
      if (character === "\\") this.#result += this.#escape(false);
      else if (character === "[") this.#class();
      else this.#outside(character);
    }
    return this.#result;
  }

  /** Braces that count nothing, and a bracket that closes nothing, stand for themselves. */
  #outside(character: string): void {
    const rest = this.#pattern.slice(this.#at);
    const counts = character === "{" ? quantifier.exec(rest)?.[0] : undefined;
    if (counts !== undefined && this.#result !== "") {
      this.#take(counts, counts.length);
    } else {
      this.#take(/[{}\]]/.test(character) ? `\\${character}` : character, 1);
    }
  }

  #class(): void {
    const negated = this.#pattern.charAt(this.#at + 1) === "^";
    this.#take(negated ? "[^" : "[", negated ? 2 : 1);
    /** The last one stands for several characters, so that no range begins with it. */
    let isSet = false;
    for (;;) {
      const character = this.#pattern.charAt(this.#at);
      if (character === "") return;
      if (character === "]") return this.#take("]", 1);
      if (character === "-") {
        const next = this.#pattern.slice(this.#at + 1, this.#at + 3);
        const joins = !isSet && !/^\\[dDsSwWpP]/.test(next) && !next.startsWith("]");
        this.#take(joins && !/\[\^?$/.test(this.#result) ? "-" : "\\-", 1);
        isSet = false;
      } else if (character === "\\") {
        const escape = this.#escape(true);
        isSet = /^\\[dDsSwWpP]/.test(escape);
        this.#result += escape;
      } else {
        isSet = false;
        this.#take(character === "[" ? "\\[" : character, 1);
      }
    }
  }

  /** A backslash and what it stands before. */
  #escape(inClass: boolean): string {
    const rest = this.#pattern.slice(this.#at + 1);
    const known =
      /^(?:[dDsSwWfnrtv]|c[A-Za-z]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|u\{[\dA-Fa-f]{1,6}\}|[pP]\{[\w=]+\}|0(?!\d))/.exec(
        rest,
      ) ?? (inClass ? /^[b-]/ : /^(?:[bB]|k<\w+>|[1-9]\d*)/).exec(rest);
    const [word] = known ?? [];
    if (word !== undefined && isValid(inClass ? `[\\${word}]` : context(word), "u")) {
      this.#at += word.length + 1;
      return `\\${word}`;
    }
    const [octal] = (inClass && legacyOctal.exec(rest)) || [];
    if (octal !== undefined) {
      this.#at += octal.length + 1;
      return `\\x${parseInt(octal, 8).toString(16).padStart(2, "0")}`;
    }
    const character = rest.charAt(0);
    this.#at += 2;
    const anchor = inClass ? undefined : anchors[character];
    if (anchor !== undefined) return anchor;
    return syntax.test(character) || (inClass && character === "-") ? `\\${character}` : character;
  }

  #take(written: string, length: number): void {
    this.#result += written;
    this.#at += length;
  }
}

/** A reference is valid only where there is a group that it refers to. */
function context(word: string): string {
  if (/^[1-9]/.test(word)) return `${"()".repeat(Math.min(Number(word), 99))}\\${word}`;
  return word.startsWith("k") ? `(?${word.slice(1)})\\${word}` : `\\${word}`;
}
