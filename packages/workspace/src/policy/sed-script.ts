/** The effects of a script of sed beside its changes of the text. */
export interface SedEffects {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** It runs programs, or a part of it is not understood. */
  readonly isUnknown: boolean;
}

/** Files that sed itself means by these names. */
const streams: ReadonlySet<string> = new Set(["/dev/stdout", "/dev/stderr", "/dev/stdin"]);

/** Reads a script of GNU sed: POSIX.1-2024, "sed", with the extensions of GNU sed 4.9. */
export function readSedScript(script: string): SedEffects {
  const reads: string[] = [];
  const writes: string[] = [];
  const rest = new SedText(script);
  const add = (files: string[]): void => {
    const name = rest.takeLine().trim();
    if (!streams.has(name)) files.push(name);
  };
  let isUnknown = false;
  while (!isUnknown) {
    rest.takeMatch(/[\s;{}]*/y);
    if (rest.isDone) break;
    if (!rest.skipAddresses()) return { reads, writes, isUnknown: true };
    const command = rest.take();
    if (command === "{") continue;
    if (/[=dDgGhHnNpPxzF]/.test(command)) isUnknown = !rest.endsCommand();
    else if (/[aic:#btTv]/.test(command)) rest.takeText(command);
    else if (/[lLqQ]/.test(command)) isUnknown = !rest.endsCommand(/[ \t]*\d*/y);
    else if (/[rR]/.test(command)) add(reads);
    else if (/[wW]/.test(command)) add(writes);
    else if (command === "y") isUnknown = !(rest.skipDelimited(2, false) && rest.endsCommand());
    else if (command === "s" && rest.skipDelimited(2)) {
      rest.takeMatch(/[gpiImM\d]*/y);
      if (rest.next !== "w") isUnknown = !rest.endsCommand();
      else {
        rest.take();
        add(writes);
      }
    } else isUnknown = true;
  }
  return { reads, writes, isUnknown };
}

/** The rest of a script. */
class SedText {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get next(): string {
    return this.#text[this.#at] ?? "";
  }

  take(): string {
    const { next } = this;
    this.#at += 1;
    return next;
  }

  takeMatch(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  get isDone(): boolean {
    return this.#at >= this.#text.length;
  }

  takeLine(): string {
    return this.takeMatch(/[^\n]*/y) ?? "";
  }

  /** After a command and its argument: nothing but the next command. */
  endsCommand(argument: RegExp = /(?:)/y): boolean {
    this.takeMatch(argument);
    return this.takeMatch(/[ \t]*(?=[;\n}#]|$)/y) !== undefined;
  }

  /** Takes a comment, a label, or the text of `a`, `i` and `c`, of which each line but the last ends with a backslash. */
  takeText(command: string): void {
    if (command === "#") this.takeLine();
    else this.takeMatch(/[:btTv]/.test(command) ? /[^\n;}]*/y : /(?:[^\\\n]|\\[^])*/y);
  }

  /** An address, or two: `3`, `$`, `/x/I`, `\,x,`, `1~2`, `0,/x/`, `/x/,+3`; and `!`. */
  skipAddresses(): boolean {
    if (!this.#skipAddress()) return true;
    this.takeMatch(/[ \t]*/y);
    if (this.next === ",") {
      this.take();
      this.takeMatch(/[ \t]*/y);
      if (this.takeMatch(/[+~]\d+/y) === undefined && !this.#skipAddress()) return false;
    }
    return this.takeMatch(/[ \t!]*/y) !== undefined;
  }

  #skipAddress(): boolean {
    if (this.takeMatch(/\d+(?:~\d+)?|\$/y) !== undefined) return true;
    if (this.next === "\\") this.take();
    else if (this.next !== "/") return false;
    return this.skipDelimited(1) && this.takeMatch(/[IM]*/y) !== undefined;
  }

  /** Skips the parts of `s/a/b/` or `y/a/b/`, or the pattern of an address. Returns false if they are not understood. */
  skipDelimited(parts: number, hasPattern = true): boolean {
    const delimiter = this.take();
    if (delimiter === "" || delimiter === "\\" || delimiter === "\n") return false;
    for (let part = 0; part < parts; part++) {
      for (let character = this.take(); character !== delimiter; character = this.take()) {
        if (character === "") return false;
        if (character === "\\") this.take();
        if (character !== "[" || part > 0 || !hasPattern) continue;
        // Versions differ in whether the delimiter, or an escape, is a member of a set.
        const set = this.takeMatch(/\^?\]?(?:\[:\w+:\]|[^\]\n])*\]/y);
        if (set === undefined || set.endsWith("\\]")) return false;
        if (set.includes("\\") && set.includes(delimiter)) return false;
      }
    }
    return true;
  }
}
