import {
  charSet,
  complement,
  digits,
  lineEnds,
  spaces,
  wordCharacters,
  type CharSet,
} from "./char-set.ts";

/** A part of a pattern. */
export type PatternNode =
  | { readonly kind: "step"; readonly set: CharSet }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly body: PatternNode;
      readonly min: number;
      readonly max: number;
    }
  | {
      readonly kind: "position";
      readonly at: "start" | "end" | "boundary";
      readonly negative: boolean;
    }
  | LookNode;

/** A look-ahead or look-behind. */
export interface LookNode {
  readonly kind: "look";
  readonly body: PatternNode;
  readonly behind: boolean;
  readonly negative: boolean;
}

/** Thrown for what a pattern has that is not regular (back-references) or too rare to be read. */
export class UnreadablePattern extends Error {}

/**
 * Reads a pattern that the native engine has accepted, with the `u` flag or without it.
 *
 * @see https://tc39.es/ecma262/#sec-patterns and #sec-regular-expressions-patterns (Annex B)
 * @throws UnreadablePattern for back-references, modifiers, legacy octal escapes, endless nesting.
 */
export function parsePattern(source: string, unicode: boolean): PatternNode {
  return new Parser(source, unicode).pattern();
}

/** How deep groups may stand within groups. */
const maxDepth = 100;

const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };
const classes: Readonly<Record<string, readonly number[]>> = {
  d: digits,
  D: complement(digits),
  w: wordCharacters,
  W: complement(wordCharacters),
  s: spaces,
  S: complement(spaces),
};

/** Members of a character class: ranges, and properties as their own source text. */
interface Members {
  readonly ranges: readonly number[];
  readonly property?: RegExp;
}

class Parser {
  readonly #source: string;
  readonly #unicode: boolean;
  readonly #hasNames: boolean;
  #at = 0;
  #depth = 0;

  constructor(source: string, unicode: boolean) {
    this.#source = source;
    this.#unicode = unicode;
    this.#hasNames = /\(\?<(?![=!])/.test(source);
  }

  pattern(): PatternNode {
    const whole = this.#choice();
    if (this.#at < this.#source.length) throw new UnreadablePattern();
    return whole;
  }

  #choice(): PatternNode {
    const options = [this.#sequence()];
    while (this.#take("|")) options.push(this.#sequence());
    return options.length === 1 ? (options[0] as PatternNode) : { kind: "choice", options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] as string)) {
      parts.push(this.#repeated(this.#term()));
    }
    return parts.length === 1 ? (parts[0] as PatternNode) : { kind: "sequence", parts };
  }

  #repeated(body: PatternNode): PatternNode {
    const found = this.#match(/([*+?])\??|\{(\d+)(,?)(\d*)\}\??/y);
    if (found === undefined) return body;
    const [, sign, least, comma, most] = found;
    if (sign !== undefined) {
      return { kind: "repeat", body, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity };
    }
    const min = Number(least);
    const max = comma === "" ? min : most === "" ? Infinity : Number(most);
    return { kind: "repeat", body, min, max };
  }

  #term(): PatternNode {
    if (this.#take("^")) return { kind: "position", at: "start", negative: false };
    if (this.#take("$")) return { kind: "position", at: "end", negative: false };
    if (this.#take("(")) return this.#group();
    if (this.#take("[")) return step(this.#class());
    if (this.#take(".")) return step(charSet(lineEnds, [], true));
    if (this.#take("\\")) return this.#escape();
    return one(this.#char());
  }

  #group(): PatternNode {
    const look = this.#match(/\?(<?)([=!])/y);
    if (look === undefined) {
      const opened = this.#match(/\?:|\?<[^>]*>/y);
      if (opened === undefined && this.#source[this.#at] === "?") throw new UnreadablePattern();
    }
    if (++this.#depth > maxDepth) throw new UnreadablePattern();
    const body = this.#choice();
    this.#depth -= 1;
    if (!this.#take(")")) throw new UnreadablePattern();
    if (look === undefined) return body;
    return { kind: "look", body, behind: look[1] === "<", negative: look[2] === "!" };
  }

  #escape(): PatternNode {
    if (this.#take("b")) return { kind: "position", at: "boundary", negative: false };
    if (this.#take("B")) return { kind: "position", at: "boundary", negative: true };
    if (/[1-9]/.test(this.#source[this.#at] ?? "")) throw new UnreadablePattern();
    if ((this.#unicode || this.#hasNames) && this.#take("k")) throw new UnreadablePattern();
    const { ranges, property } = this.#classEscape() ?? single(this.#characterEscape());
    return step(charSet(ranges, property === undefined ? [] : [property]));
  }

  #class(): CharSet {
    const negated = this.#take("^");
    const ranges: number[] = [];
    const properties: RegExp[] = [];
    const add = (members: Members): void => {
      ranges.push(...members.ranges);
      if (members.property !== undefined) properties.push(members.property);
    };
    while (!this.#take("]")) {
      const first = this.#classMember();
      if (this.#source[this.#at] !== "-" || this.#source[this.#at + 1] === "]") {
        add(first);
        continue;
      }
      this.#at += 1;
      const second = this.#classMember();
      const [from, to] = [point(first), point(second)];
      if (from !== undefined && to !== undefined) ranges.push(from, to);
      else {
        // Without the `u` flag a class may stand where a range would end: the dash is a dash then.
        add(first);
        add(second);
        ranges.push(45, 45);
      }
    }
    return charSet(ranges, properties, negated);
  }

  #classMember(): Members {
    if (!this.#take("\\")) return single(this.#char());
    if (this.#take("b")) return single(8);
    if (/[1-9]/.test(this.#source[this.#at] ?? "")) throw new UnreadablePattern();
    return this.#classEscape() ?? single(this.#characterEscape());
  }

  #classEscape(): Members | undefined {
    const name = this.#match(/[dDwWsS]/y)?.[0];
    if (name !== undefined) return { ranges: classes[name] as readonly number[] };
    const property = this.#unicode ? this.#match(/[pP]\{[^}]*\}/y)?.[0] : undefined;
    if (property === undefined) return undefined;
    return { ranges: [], property: new RegExp(`^\\${property}$`, "u") };
  }

  #characterEscape(): number {
    const control = this.#match(/[tnvfr]/y)?.[0];
    if (control !== undefined) return controls[control] as number;
    const letter = this.#match(/c([A-Za-z])/y)?.[1];
    if (letter !== undefined) return letter.charCodeAt(0) % 32;
    const hex = this.#match(/x([\dA-Fa-f]{2})/y) ?? this.#match(/u([\dA-Fa-f]{4})/y);
    if (hex !== undefined) return this.#withTrail(Number.parseInt(hex[1] as string, 16));
    const braced = this.#unicode ? this.#match(/u\{([\dA-Fa-f]+)\}/y)?.[1] : undefined;
    if (braced !== undefined) return Number.parseInt(braced, 16);
    if (this.#match(/0(?!\d)/y) !== undefined) return 0;
    // The remaining letters and digits have meanings that do not justify their rules.
    if (/[c0]/.test(this.#source[this.#at] ?? "")) throw new UnreadablePattern();
    return this.#char();
  }

  /** Two escapes that make one character with the `u` flag. */
  #withTrail(unit: number): number {
    if (!this.#unicode || unit < 0xd800 || unit > 0xdbff) return unit;
    const trail = this.#match(/\\u([Dd][C-Fc-f][\dA-Fa-f]{2})/y)?.[1];
    if (trail === undefined) return unit;
    return (unit - 0xd800) * 0x400 + (Number.parseInt(trail, 16) - 0xdc00) + 0x10000;
  }

  #char(): number {
    const char = this.#unicode
      ? this.#source.codePointAt(this.#at)
      : this.#source.charCodeAt(this.#at);
    if (char === undefined || Number.isNaN(char)) throw new UnreadablePattern();
    this.#at += char > 0xffff ? 2 : 1;
    return char;
  }

  #take(text: string): boolean {
    if (this.#source[this.#at] !== text) return false;
    this.#at += 1;
    return true;
  }

  #match(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#source);
    if (found === null) return undefined;
    this.#at = sticky.lastIndex;
    return found;
  }
}

function step(set: CharSet): PatternNode {
  return { kind: "step", set };
}

function one(char: number): PatternNode {
  return step({ ranges: [char, char], properties: [], negated: false });
}

function single(char: number): Members {
  return { ranges: [char, char] };
}

function point({ ranges, property }: Members): number | undefined {
  return property === undefined && ranges.length === 2 && ranges[0] === ranges[1]
    ? ranges[0]
    : undefined;
}
