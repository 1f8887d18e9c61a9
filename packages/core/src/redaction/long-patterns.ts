/**
 * Patterns that begin alike, however many: JSON web tokens do, all that one service issues. Which of
 * them stands somewhere is found by halving.
 */
export class LongPatterns {
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
