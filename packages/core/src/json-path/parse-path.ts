/** Which children of a node one segment of a path leads to. */
export interface Segment {
  /** `..`: those of the node itself and of everything below it. */
  readonly descends: boolean;
  /** `*` */
  readonly all: boolean;
  readonly names: ReadonlySet<string>;
  /** Negative ones count from the end. */
  readonly indices: readonly number[];
  readonly slices: readonly Slice[];
}

/** `start:end:step` */
export interface Slice {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly step: number;
}

/** A walk keeps the segments that it is at as bits of one number. */
const maxSegments = 30;
const maxLength = 1000;

const blank = /[ \t\n\r]*/y;
const shorthand = /[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_\u0080-\u{10ffff}]*/uy;
const quoted = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/suy;
const integer = /0|-?[1-9][0-9]{0,14}/y;

/** The segments of a path, or what is wrong with it. */
export function parsePath(text: string): readonly Segment[] | string {
  if (typeof text !== "string") return "A JSON path is a text, such as $.items[0].name.";
  if (text.length > maxLength) return `A JSON path has at most ${maxLength} characters.`;
  const reader = new Reader(text);
  try {
    return reader.path();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return `The JSON path ${JSON.stringify(text.slice(0, 100))} cannot be read at character ${reader.at + 1}: expected ${error.message}.`;
  }
}

/** Never leaves this file. */
class Unreadable extends Error {}

interface Selectors {
  all: boolean;
  readonly names: Set<string>;
  readonly indices: number[];
  readonly slices: Slice[];
}

class Reader {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  path(): readonly Segment[] {
    if (!this.#take("$")) throw new Unreadable("$, as in $.items[0].name");
    const segments: Segment[] = [];
    for (;;) {
      const end = this.at;
      this.#match(blank);
      if (this.at === this.#text.length && this.at === end) return segments;
      if (segments.length === maxSegments) throw new Unreadable(`${maxSegments} steps at most`);
      segments.push(this.#segment());
    }
  }

  #segment(): Segment {
    if (this.#take("[")) return { descends: false, ...this.#brackets() };
    if (!this.#take(".")) throw new Unreadable(". or [ or the end");
    const descends = this.#take(".");
    if (descends && this.#take("[")) return { descends, ...this.#brackets() };
    if (this.#take("*")) return { descends, ...selectors(), all: true };
    const name = this.#match(shorthand);
    if (name === undefined) throw new Unreadable("a name or *; other names are written ['so']");
    return { descends, ...selectors(), names: new Set([name]) };
  }

  #brackets(): Selectors {
    const found = selectors();
    do {
      this.#match(blank);
      this.#selector(found);
      this.#match(blank);
    } while (this.#take(","));
    if (!this.#take("]")) throw new Unreadable("]");
    return found;
  }

  #selector(found: Selectors): void {
    if (this.#take("*")) {
      found.all = true;
      return;
    }
    const before = this.at;
    const name = this.#match(quoted);
    if (name !== undefined) {
      const unquoted = unquote(name);
      if (unquoted === undefined) {
        this.at = before;
        throw new Unreadable("a text with JSON's escapes");
      }
      found.names.add(unquoted);
      return;
    }
    const start = this.#integer();
    this.#match(blank);
    if (!this.#take(":")) {
      if (start === undefined) throw new Unreadable("an index, a slice, 'a name' or *");
      found.indices.push(start);
      return;
    }
    this.#match(blank);
    const end = this.#integer();
    this.#match(blank);
    const hasStep = this.#take(":");
    if (hasStep) this.#match(blank);
    found.slices.push({ start, end, step: (hasStep ? this.#integer() : undefined) ?? 1 });
  }

  #integer(): number | undefined {
    const digits = this.#match(integer);
    return digits === undefined ? undefined : Number(digits);
  }

  #take(character: string): boolean {
    if (this.#text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }
}

function selectors(): Selectors {
  return { all: false, names: new Set(), indices: [], slices: [] };
}

/** The text within the quotes; single ones have JSON's escapes, and one for themselves. */
function unquote(text: string): string | undefined {
  const inner = text.slice(1, -1);
  const json = text.startsWith("'")
    ? inner.replace(/\\[^]|"/g, (found) => singleQuoted[found] ?? found)
    : inner;
  try {
    return JSON.parse(`"${json}"`) as string;
  } catch {
    return undefined;
  }
}

/** JSON's words for what single quotes write otherwise; `\"` is no escape there. */
const singleQuoted: Readonly<Record<string, string>> = {
  "\\'": "'",
  '"': '\\"',
  '\\"': "\\x",
};
