import { ToolError } from "@toolweave/core";
import { linearTest } from "@toolweave/core/adapter";

/** How globs match. */
export interface GlobOptions {
  /** Default: false. */
  readonly ignoreCase?: boolean;
  /** Wildcards match a dot at the beginning of a name. Default: true. */
  readonly dot?: boolean;
  /** Brackets and braces also match themselves: `[id]` is a folder of web frameworks as well. Default: false. */
  readonly bracketNames?: boolean;
}

/** Maximum length of one regular expression: more globs become several. */
const maxSourceLength = 4_000;

/**
 * Compiles globs to a test of relative paths, in time linear in the path: `*` and `?` within a name, `**` as a whole name
 * for any folders, `[a-z]` and `[!a-z]`, `{a,b}`, and `\` before a character that is meant as such. As with git and
 * ripgrep, parentheses are characters.
 *
 * @returns true for a path that one of the globs matches.
 */
export function compileGlobs(
  globs: readonly string[],
  { ignoreCase = false, dot = true, bracketNames = false }: GlobOptions = {},
): (path: string) => boolean {
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const tests: ((path: string) => boolean)[] = [];
  let sources: string[] = [];
  const end = (): void => {
    if (sources.length > 0) tests.push(compileSource(`^(?:${sources.join("|")})$`, globs));
    sources = [];
  };
  for (const glob of globs) {
    const source = new GlobReader(fold(glob), { dot, bracketNames }).read();
    if (sources.join("|").length + source.length > maxSourceLength) end();
    sources.push(source);
  }
  end();
  return (path) => {
    const folded = fold(path);
    return tests.some((test) => test(folded));
  };
}

/** @throws ToolError `invalid_arguments` for a glob that cannot be matched in linear time. */
function compileSource(source: string, globs: readonly string[]): (path: string) => boolean {
  try {
    return linearTest(source, "u");
  } catch (cause) {
    const longest = globs.reduce((one, other) => (other.length > one.length ? other : one));
    const displayed = `${longest.slice(0, 100)}${longest.length > 100 ? "…" : ""}`;
    throw new ToolError(
      "invalid_arguments",
      `The glob "${displayed}" has too many wildcards or alternatives. Use a simpler one, or several.`,
      { cause },
    );
  }
}

/**
 * Compiles the glob of a tool. As with ripgrep, a glob without a slash matches names at any depth, one that ends with a
 * slash matches what is below, and one that begins with `!` matches all other paths. Brackets and braces also match
 * themselves.
 */
export function compileFileGlob(glob: string): (path: string) => boolean {
  const isNegative = glob.startsWith("!");
  const clean = (isNegative ? glob.slice(1) : glob).replace(/^\.?\//, "");
  const isRooted = clean.length < glob.length - (isNegative ? 1 : 0);
  const below = clean.endsWith("/") ? `${clean}**` : clean;
  const isName = !isRooted && !clean.slice(0, -1).includes("/");
  const matches = compileGlobs([isName ? `**/${below}` : below], { bracketNames: true });
  return isNegative ? (path) => !matches(path) : matches;
}

/** Whether a glob names something whose name begins with a dot, such as `.github/*.yml`: hidden entries are meant then. */
export function namesHidden(glob: string): boolean {
  return /(?:^|[/!{,])\.[^./]/.test(glob);
}

/** Code points from one to another. */
type Range = readonly [from: number, to: number];

/** Translates a glob to the source of a regular expression. */
class GlobReader {
  readonly #glob: string;
  readonly #dot: boolean;
  readonly #bracketNames: boolean;
  #at = 0;
  /** The next character is the first one of a name. */
  #isFirst = true;

  constructor(glob: string, { dot, bracketNames }: Required<Omit<GlobOptions, "ignoreCase">>) {
    this.#glob = glob;
    this.#dot = dot;
    this.#bracketNames = bracketNames;
  }

  read(): string {
    return this.#sequence(false);
  }

  /** @param inBraces ends before a comma or a closing brace. */
  #sequence(inBraces: boolean): string {
    let source = "";
    while (this.#at < this.#glob.length) {
      const character = String.fromCodePoint(this.#glob.codePointAt(this.#at) as number);
      if (inBraces && (character === "," || character === "}")) break;
      source += this.#part(character, inBraces);
    }
    return source;
  }

  #part(character: string, inBraces: boolean): string {
    switch (character) {
      case "*":
        return this.#stars(inBraces);
      case "?":
        this.#at += 1;
        return this.#one([[0x2f, 0x2f]], true);
      case "[":
        return this.#class();
      case "{":
        return this.#braces();
      case "\\": {
        const escaped = this.#glob.codePointAt(this.#at + 1);
        this.#at += 1;
        return this.#literal(escaped === undefined ? "\\" : String.fromCodePoint(escaped));
      }
      default:
        return this.#literal(character);
    }
  }

  #literal(character: string): string {
    this.#at += character.length;
    this.#isFirst = character === "/";
    return escapeSource(character);
  }

  #stars(inBraces: boolean): string {
    const isFirst = this.#isFirst;
    const begin = this.#at;
    while (this.#glob[this.#at] === "*") this.#at += 1;
    const next = this.#glob[this.#at];
    const isLast = next === undefined || (inBraces && (next === "," || next === "}"));
    const name = this.#dot ? "[^/]+" : "[^/.][^/]*";
    if (this.#at - begin > 1 && isFirst && (isLast || next === "/")) {
      if (isLast) return `(?:${name}/)*${name}`;
      this.#at += 1;
      return `(?:${name}/)*`;
    }
    this.#isFirst = false;
    if (this.#dot || !isFirst) return "[^/]*";
    // A dot behind the wildcard is not the first character of a name.
    return next === "." ? name : `(?:${name})?`;
  }

  /** One character, but none of the ranges if it is negative, and no slash. */
  #one(ranges: readonly Range[], isNegative: boolean): string {
    const excluded: Range[] = isNegative ? [...ranges, [0x2f, 0x2f]] : [];
    if (isNegative && this.#isFirst && !this.#dot) excluded.push([0x2e, 0x2e]);
    this.#isFirst = false;
    const listed = isNegative ? excluded : ranges.flatMap(withoutSlash);
    const members = listed.map(([from, to]) => `${toEscape(from)}-${toEscape(to)}`).join("");
    return `[${isNegative ? "^" : ""}${members}]`;
  }

  #class(): string {
    const pattern = /\[([!^]?)(\]?(?:\[:[a-z]+:\]|\\.|[^\]\\])*)\]/suy;
    pattern.lastIndex = this.#at;
    const [whole, negation, members = ""] = pattern.exec(this.#glob) ?? [];
    if (whole === undefined) return this.#literal("[");
    this.#at += whole.length;
    const characters = this.#one(readClass(members), negation !== "");
    return this.#bracketNames ? `(?:${characters}|${escapeSource(whole)})` : characters;
  }

  #braces(): string {
    if (!this.#isClosed()) return this.#literal("{");
    const isFirst = this.#isFirst;
    const begin = this.#at;
    const parts: string[] = [];
    do {
      this.#at += 1;
      this.#isFirst = isFirst;
      parts.push(this.#sequence(true));
    } while (this.#glob[this.#at] === ",");
    this.#at += 1;
    if (this.#bracketNames) parts.push(escapeSource(this.#glob.slice(begin, this.#at)));
    return `(?:${parts.join("|")})`;
  }

  /** Whether the brace at this place has its closing one. */
  #isClosed(): boolean {
    let depth = 0;
    for (let at = this.#at; at < this.#glob.length; at++) {
      const character = this.#glob[at];
      if (character === "\\") at += 1;
      else if (character === "{") depth += 1;
      else if (character === "}" && --depth === 0) return true;
    }
    return false;
  }
}

/** A text as a regular expression that matches it. */
function escapeSource(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** The classes of POSIX. */
const posixClasses: Readonly<Record<string, readonly Range[]>> = {
  alnum: [...toRanges("09"), ...toRanges("AZ"), ...toRanges("az")],
  alpha: [...toRanges("AZ"), ...toRanges("az")],
  blank: [...toRanges("\t\t"), ...toRanges("  ")],
  digit: toRanges("09"),
  lower: toRanges("az"),
  punct: [...toRanges("!/"), ...toRanges(":@"), ...toRanges("[`"), ...toRanges("{~")],
  space: [...toRanges("\t\r"), ...toRanges("  ")],
  upper: toRanges("AZ"),
  xdigit: [...toRanges("09"), ...toRanges("AF"), ...toRanges("af")],
};

function toRanges(ends: string): readonly Range[] {
  return [[ends.charCodeAt(0), ends.charCodeAt(1)]];
}

/** Reads the members of a class: characters, ranges and classes of POSIX. */
function readClass(members: string): readonly Range[] {
  const ranges: Range[] = [];
  const member = /\[:([a-z]+):\]|(\\.|.)(?:-(\\.|[^\\]))?/gsu;
  for (const [, posix, from = "", to = from] of members.matchAll(member)) {
    if (posix !== undefined) ranges.push(...(posixClasses[posix] ?? []));
    else ranges.push([toCodePoint(from), toCodePoint(to)]);
  }
  // A range that ends before it begins is empty.
  return ranges.filter(([from, to]) => from <= to);
}

function toCodePoint(member: string): number {
  const character = member.length > 1 && member.startsWith("\\") ? member.slice(1) : member;
  return character.codePointAt(0) as number;
}

function withoutSlash([from, to]: Range): readonly Range[] {
  if (from > 0x2f || to < 0x2f) return [[from, to]];
  const parts: readonly Range[] = [
    [from, 0x2e],
    [0x30, to],
  ];
  return parts.filter(([first, last]) => first <= last);
}

function toEscape(code: number): string {
  return `\\u{${code.toString(16)}}`;
}
