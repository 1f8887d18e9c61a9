import { form, formAt, markForms } from "./credential-forms.ts";
import type { Spans } from "./spans.ts";

/** The length of a pattern's part in the automaton; the rest is compared. */
const headLength = 16;
/** The number of characters of a window. No pattern is shorter. */
const windowLength = 4;

/** In the table of windows: the beginning of a pattern. */
const beginning = 1;
/** With more patterns a small table would be full. */
const fewPatterns = 400;

/**
 * Finds any number of patterns, and texts in the form of a credential, in one pass: most characters cost one lookup in
 * a table of windows; where a pattern may begin, an automaton (Aho and Corasick, 1975) takes over.
 */
export class Scanner {
  readonly #windows: Uint8Array;
  /** Bits by which a window moves with each character. */
  readonly #shift: number;
  /** By character: its column; 0: in no pattern. */
  readonly #columns: Uint16Array | undefined;
  #width = 1;
  /** By node and column: the next node. */
  readonly #next = new Map<number, number>();
  /** By node: the node to continue at when there is no next one; 0: none within four characters. */
  readonly #fallback: number[] = [0];
  /** By node: the length of the longest short pattern that ends there. */
  readonly #ends: number[] = [0];
  /** By node: some pattern continues from there. */
  readonly #goesOn: boolean[] = [true];
  /** By node: the long patterns that begin so. */
  readonly #long = new Map<number, LongPatterns>();
  #longest = 0;

  constructor(patterns: ReadonlySet<string>, forms: boolean) {
    this.#shift = patterns.size > fewPatterns ? 5 : 4;
    this.#windows = new Uint8Array(1 << (windowLength * this.#shift));
    if (forms) markForms(this.#windows, this.#shift);
    if (patterns.size > 0) {
      this.#columns = new Uint16Array(0x10000);
      this.#add(patterns);
    }
  }

  /** True for a character of some pattern. */
  has(unit: number): boolean {
    return this.#columns !== undefined && this.#columns[unit] !== 0;
  }

  /** Adds what it finds in `text` to `spans`. Linear in the text's length. */
  find(text: string, spans: Spans, withForms: boolean): void {
    const windows = this.#windows;
    const shift = this.#shift;
    const last = windows.length - 1;
    const { length } = text;
    let window = 0;
    for (let index = 0; index < length; index++) {
      window = ((window << shift) ^ text.charCodeAt(index)) & last;
      let found = windows[window] as number;
      if (found === 0) continue;
      let node = 0;
      for (;;) {
        if ((found & form) !== 0 && withForms) formAt(text, index, spans);
        if (node !== 0) node = this.#step(node, text.charCodeAt(index));
        if (node === 0 && (found & beginning) !== 0) node = this.#enter(text, index + 1);
        if (node === 0) break;
        this.#note(text, node, index + 1, spans);
        if (++index === length) return;
        window = ((window << shift) ^ text.charCodeAt(index)) & last;
        found = windows[window] as number;
      }
    }
  }

  /** Where the end of `text` may be the beginning of a pattern; its length: nowhere. */
  held(text: string): number {
    for (let at = Math.max(0, text.length - this.#longest + 1); at < text.length; at++) {
      if (this.#begins(text, at)) return at;
    }
    return text.length;
  }

  #begins(text: string, from: number): boolean {
    let node = 0;
    for (let at = from; at < text.length; at++) {
      if (at - from === headLength) {
        const begun = text.slice(from);
        return this.#long.get(node)?.begin(begun) ?? false;
      }
      const next = this.#after(node, text.charCodeAt(at));
      if (next === undefined) return false;
      node = next;
    }
    return this.#goesOn[node] as boolean;
  }

  #note(text: string, node: number, end: number, spans: Spans): void {
    const length = this.#ends[node] as number;
    if (length > 0) spans.push(end - length, end);
    const long = this.#long.get(node);
    if (long === undefined) return;
    const start = end - headLength;
    const found = long.lengthAt(text, start);
    if (found > 0) spans.push(start, start + found);
  }

  #after(node: number, unit: number): number | undefined {
    const column = this.#columns?.[unit] ?? 0;
    return column === 0 ? undefined : this.#next.get(node * this.#width + column);
  }

  #step(from: number, unit: number): number {
    let node = from;
    while (node !== 0) {
      const next = this.#after(node, unit);
      if (next !== undefined) return next;
      node = this.#fallback[node] as number;
    }
    return 0;
  }

  /** The node of the window that ends before `end`. */
  #enter(text: string, end: number): number {
    if (end < windowLength) return 0;
    let node = 0;
    for (let at = end - windowLength; at < end; at++) {
      const next = this.#after(node, text.charCodeAt(at));
      if (next === undefined) return 0;
      node = next;
    }
    return node;
  }

  #add(patterns: ReadonlySet<string>): void {
    const columns = this.#columns as Uint16Array;
    for (const pattern of patterns) {
      this.#longest = Math.max(this.#longest, pattern.length);
      for (let at = 0; at < pattern.length; at++) {
        const unit = pattern.charCodeAt(at);
        if (columns[unit] === 0) columns[unit] = this.#width++;
      }
    }
    /** By depth: the nodes, each with the one before it and a pattern that goes through both. */
    const levels: Level[] = [];
    for (const pattern of patterns) this.#insert(pattern, levels);
    for (const [depth, level] of levels.entries()) {
      if (depth > windowLength) for (const added of level) this.#link(depth, ...added);
    }
  }

  #insert(text: string, levels: Level[]): void {
    const columns = this.#columns as Uint16Array;
    const depth = Math.min(text.length, headLength);
    let node = 0;
    let window = 0;
    for (let at = 0; at < depth; at++) {
      const unit = text.charCodeAt(at);
      if (at < windowLength) window = (window << this.#shift) ^ unit;
      const key = node * this.#width + (columns[unit] as number);
      let next = this.#next.get(key);
      if (next === undefined) {
        next = this.#ends.push(0) - 1;
        this.#fallback.push(0);
        this.#goesOn.push(false);
        this.#next.set(key, next);
        (levels[at + 1] ??= []).push([next, node, text]);
      }
      this.#goesOn[node] = true;
      node = next;
    }
    window &= this.#windows.length - 1;
    this.#windows[window] = (this.#windows[window] as number) | beginning;
    if (text.length <= headLength) {
      this.#ends[node] = text.length;
      return;
    }
    this.#goesOn[node] = true;
    const long = this.#long.get(node);
    if (long === undefined) this.#long.set(node, new LongPatterns(text));
    else long.add(text);
  }

  /** Nodes come by depth, so that shorter ones are linked already. */
  #link(depth: number, node: number, parent: number, pattern: string): void {
    const last = pattern.charCodeAt(depth - 1);
    const fallback =
      this.#step(this.#fallback[parent] as number, last) || this.#enter(pattern, depth);
    this.#fallback[node] = fallback;
    // Its own pattern is longer than any that only ends like it.
    if (this.#ends[node] === 0) this.#ends[node] = this.#ends[fallback] as number;
  }
}

type Level = [node: number, parent: number, pattern: string][];

/**
 * Patterns that begin alike, however many: JSON web tokens do, all that one service issues. Which of
 * them stands somewhere is found by halving.
 */
class LongPatterns {
  readonly #texts: string[];
  /** By pattern: the longest other one that it begins with; -1: none. Empty: to be made anew. */
  #shorter: number[] = [];
  #longest = 0;

  constructor(text: string) {
    this.#texts = [text];
    this.#longest = text.length;
  }

  add(text: string): void {
    this.#texts.push(text);
    this.#longest = Math.max(this.#longest, text.length);
    this.#shorter = [];
  }

  /** The length of the longest that stands at `start`; 0: none does. */
  lengthAt(text: string, start: number): number {
    this.#sort();
    const texts = this.#texts;
    const given = text.slice(start, start + this.#longest);
    // What it begins with comes before it, and is the beginning of all that comes between.
    let at = this.#after(given) - 1;
    while (at >= 0 && !given.startsWith(texts[at] as string)) at = this.#shorter[at] as number;
    return at < 0 ? 0 : (texts[at] as string).length;
  }

  /** True when one of them is longer, and begins so. */
  begin(begun: string): boolean {
    this.#sort();
    return this.#texts[this.#after(begun)]?.startsWith(begun) === true;
  }

  /** How many are not after it in order. */
  #after(text: string): number {
    let low = 0;
    let high = this.#texts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#texts[middle] as string) <= text) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #sort(): void {
    const texts = this.#texts;
    const shorter = this.#shorter;
    if (shorter.length > 0) return;
    // By code units, as texts are compared.
    texts.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    for (const [index, text] of texts.entries()) {
      let at = index - 1;
      while (at >= 0 && !text.startsWith(texts[at] as string)) at = shorter[at] as number;
      shorter.push(at);
    }
  }
}
