/** Numbers from a seed: the same seed gives the same numbers. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** At least `from`, less than `to`. */
  between(from: number, to: number): number;
  /** @throws RangeError if there are none. */
  pick<Item>(items: readonly Item[]): Item;
}

/** Creates a generator (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (from, to) => from + next() * (to - from),
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new RangeError("There are no items to pick from.");
      return item;
    },
  };
}
