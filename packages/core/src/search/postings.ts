import type { ToolText } from "./tool-text.ts";

/** A posting is a slot and, in its last bits, a count: a small integer, which an array holds without a box. */
const countBits = 10;
const maxCount = (1 << countBits) - 1;

/** Term frequency saturation and length normalisation, as Robertson and Zaragoza give them. */
const k1 = 1.2;
const b = 0.75;

/**
 * An inverted index: which texts have a word, and how often. A text has a slot, a small number that
 * is given again once it is free. What it answers depends on the texts alone, not on the order in
 * which they came.
 */
export class Postings {
  readonly #lists = new Map<string, number[]>();
  readonly #lengths: number[] = [];
  readonly #free: number[] = [];
  #total = 0;
  #norms: Float64Array | undefined;

  /** How many slots there are, free ones included. */
  get slots(): number {
    return this.#lengths.length;
  }

  /** Takes a text in, and gives its slot. */
  add({ counts, length }: ToolText): number {
    const slot = this.#free.pop() ?? this.#lengths.length;
    this.#lengths[slot] = length;
    this.#total += length;
    for (const [word, count] of counts) {
      const posting = (slot << countBits) | Math.min(count, maxCount);
      const list = this.#lists.get(word);
      if (list === undefined) this.#lists.set(copied(word), [posting]);
      else list.push(posting);
    }
    this.#norms = undefined;
    return slot;
  }

  /** Removes the texts in these slots: one pass over everything, however many they are. */
  remove(slots: readonly number[]): void {
    if (slots.length === 0) return;
    const gone = new Uint8Array(this.slots);
    for (const slot of slots) {
      gone[slot] = 1;
      this.#total -= this.#lengths[slot] ?? 0;
      this.#free.push(slot);
    }
    for (const [word, list] of this.#lists) {
      let kept = 0;
      for (const posting of list) {
        if (gone[posting >> countBits] === 0) list[kept++] = posting;
      }
      if (kept === 0) this.#lists.delete(word);
      else list.length = kept;
    }
    this.#norms = undefined;
  }

  /** In how many texts a word is. */
  frequency(word: string): number {
    return this.#lists.get(word)?.length ?? 0;
  }

  /** How telling a word is: the fewer texts have it, the more. */
  weight(word: string): number {
    const found = this.frequency(word);
    const others = this.slots - this.#free.length - found;
    return Math.log(1 + (others + 0.5) / (found + 0.5));
  }

  /**
   * Adds to each text's score what a word is worth to it, by BM25.
   *
   * @param covered gets `weight` itself for each text that has the word.
   */
  score(word: string, weight: number, scores: Float64Array, covered?: Float64Array): void {
    const list = this.#lists.get(word);
    if (list === undefined) return;
    const norms = (this.#norms ??= this.#makeNorms());
    const full = weight * (k1 + 1);
    for (const posting of list) {
      const slot = posting >> countBits;
      const count = posting & maxCount;
      (scores[slot] as number) += (full * count) / (count + (norms[slot] as number));
      if (covered !== undefined) (covered[slot] as number) += weight;
    }
  }

  #makeNorms(): Float64Array {
    const average = this.#total / (this.slots - this.#free.length) || 1;
    // A mention in a description counts 4.
    return Float64Array.from(this.#lengths, (length) => 4 * k1 * (1 - b + (b * length) / average));
  }
}

/** A word that was cut out of a text may keep the whole of it in memory. */
function copied(word: string): string {
  return Array.from(word).join("");
}
