/**
 * A posting is a slot, a bit for a word of the title, and in its last bits a count: a small integer, which an array
 * holds without a box.
 */
const countBits = 10;
const maxCount = (1 << countBits) - 1;
const titleBit = 1 << countBits;
const slotShift = countBits + 1;

/** Term frequency saturation and length normalisation, as Robertson and Zaragoza give them. */
const k1 = 1.2;
const b = 0.75;

/** The count of one mention in a description. */
export const mention = 8;

/** A text as the index reads it. */
export interface IndexedText {
  /** How often each word occurs, weighted by field: `mention` is one mention in a description. */
  readonly counts: ReadonlyMap<string, number>;
  /** The length of name, title and description together, in the same unit. */
  readonly length: number;
  /** The words of the title; without a title, those of the name. */
  readonly title: ReadonlySet<string>;
}

/**
 * An inverted index: which texts have a word, and how often. A text has a slot, a small number that is reused once it
 * is free. Scores depend on the texts alone, not on the order in which they were added.
 */
export class Postings {
  readonly #lists = new Map<string, number[]>();
  readonly #lengths: number[] = [];
  readonly #titles: (readonly string[])[] = [];
  readonly #free: number[] = [];
  #total = 0;
  #norms: Float64Array | undefined;
  #titleWeights: Float64Array | undefined;
  /** By slot, all 0 between two calls. */
  #best: Float64Array | undefined;

  /** The number of slots, free ones included. */
  get slots(): number {
    return this.#lengths.length;
  }

  /** Adds a text, and returns its slot. */
  add({ counts, length, title }: IndexedText): number {
    const slot = this.#free.pop() ?? this.#lengths.length;
    this.#lengths[slot] = length;
    this.#titles[slot] = Array.from(title, copied);
    this.#total += length;
    for (const [word, count] of counts) {
      const inTitle = title.has(word) ? titleBit : 0;
      const posting = (slot << slotShift) | inTitle | Math.min(count, maxCount);
      const list = this.#lists.get(word);
      if (list === undefined) this.#lists.set(copied(word), [posting]);
      else list.push(posting);
    }
    this.#forgetWeights();
    return slot;
  }

  /** Removes the texts in these slots: one pass over all postings, for any number of slots. */
  remove(slots: readonly number[]): void {
    if (slots.length === 0) return;
    const removed = new Uint8Array(this.slots);
    for (const slot of slots) {
      removed[slot] = 1;
      this.#total -= this.#lengths[slot] ?? 0;
      this.#titles[slot] = [];
      this.#free.push(slot);
    }
    for (const [word, list] of this.#lists) {
      let length = 0;
      for (const posting of list) {
        if (removed[posting >> slotShift] === 0) list[length++] = posting;
      }
      if (length === 0) this.#lists.delete(word);
      else list.length = length;
    }
    this.#forgetWeights();
  }

  /** The number of texts that have a word. */
  frequency(word: string): number {
    return this.#lists.get(word)?.length ?? 0;
  }

  /** The inverse document frequency of a word: the fewer texts have it, the higher. */
  weight(word: string): number {
    const found = this.frequency(word);
    const others = this.slots - this.#free.length - found;
    return Math.log(1 + (others + 0.5) / (found + 0.5));
  }

  /**
   * Adds to the score of each text what a word is worth to it, by BM25.
   *
   * @param covered gets `weight` itself for each text that has the word.
   */
  score(word: string, weight: number, scores: Float64Array, covered?: Float64Array): void {
    const list = this.#lists.get(word);
    if (list === undefined) return;
    const norms = (this.#norms ??= this.#computeNorms());
    const full = weight * (k1 + 1);
    for (const posting of list) {
      const slot = posting >> slotShift;
      const count = posting & maxCount;
      (scores[slot] as number) += (full * count) / (count + (norms[slot] as number));
      if (covered !== undefined) (covered[slot] as number) += weight;
    }
  }

  /**
   * Adds to the score of each text without `word` what the best of the words in its place is worth to it.
   *
   * @param others words that stand for `word`, with their weights.
   */
  scoreInstead(word: string, others: ReadonlyMap<string, number>, scores: Float64Array): void {
    const norms = (this.#norms ??= this.#computeNorms());
    const best = (this.#best ??= new Float64Array(this.slots));
    for (const [other, weight] of others) {
      const full = weight * (k1 + 1);
      for (const posting of this.#lists.get(other) ?? []) {
        const slot = posting >> slotShift;
        const count = posting & maxCount;
        const score = (full * count) / (count + (norms[slot] as number));
        if (score > (best[slot] as number)) best[slot] = score;
      }
    }
    for (const posting of this.#lists.get(word) ?? []) best[posting >> slotShift] = 0;
    for (const other of others.keys()) {
      for (const posting of this.#lists.get(other) ?? []) {
        const slot = posting >> slotShift;
        (scores[slot] as number) += best[slot] as number;
        best[slot] = 0;
      }
    }
  }

  /** The share of each text's title, by the weight of its words, that is among these words: 0 to 1. */
  titleShares(words: Iterable<string>): Float64Array {
    const shares = new Float64Array(this.slots);
    for (const word of words) {
      const weight = this.weight(word);
      for (const posting of this.#lists.get(word) ?? []) {
        if ((posting & titleBit) !== 0) (shares[posting >> slotShift] as number) += weight;
      }
    }
    const full = (this.#titleWeights ??= this.#computeTitleWeights());
    return shares.map((share, slot) => (share === 0 ? 0 : share / (full[slot] as number)));
  }

  #forgetWeights(): void {
    this.#norms = undefined;
    this.#titleWeights = undefined;
    this.#best = undefined;
  }

  #computeNorms(): Float64Array {
    const average = this.#total / (this.slots - this.#free.length) || 1;
    return Float64Array.from(
      this.#lengths,
      (length) => mention * k1 * (1 - b + (b * length) / average),
    );
  }

  #computeTitleWeights(): Float64Array {
    const weights = new Map<string, number>();
    return Float64Array.from(this.#titles, (title) => {
      let sum = 0;
      for (const word of title) {
        let weight = weights.get(word);
        if (weight === undefined) weights.set(word, (weight = this.weight(word)));
        sum += weight;
      }
      return sum;
    });
  }
}

/** A word that was cut out of a text may keep the whole of it in memory. */
function copied(word: string): string {
  return Array.from(word).join("");
}
