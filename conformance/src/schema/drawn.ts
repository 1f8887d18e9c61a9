import fc from "fast-check";

/** All of them, or as many as `limit`: which, the seed decides. */
export function drawn<T>(all: readonly T[], limit: number, seed: number): readonly T[] {
  if (all.length <= limit) return all;
  const subsets = fc.shuffledSubarray([...all], { minLength: limit, maxLength: limit });
  return fc.sample(subsets, { seed, numRuns: 1 })[0] ?? [];
}
