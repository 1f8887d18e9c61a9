import fc from "fast-check";

/** All values, or a subset of `limit` values that the seed determines. */
export function drawSubset<T>(all: readonly T[], limit: number, seed: number): readonly T[] {
  if (all.length <= limit) return all;
  const subsets = fc.shuffledSubarray([...all], { minLength: limit, maxLength: limit });
  return fc.sample(subsets, { seed, numRuns: 1 })[0] ?? [];
}
