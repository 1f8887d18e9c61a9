/** Milliseconds within which a lost connection is made again: not by everybody at once. */
const firstMs = 500;

/** Milliseconds between two attempts at most. */
const longestMs = 60_000;

/**
 * Milliseconds before the next attempt to connect: any time within half a second after a connection that had been
 * well, and twice as long with every failure, of which the last half is random. A minute at most.
 *
 * @param failures how many attempts have failed one after the other.
 * @param random between 0 and 1.
 */
export function backoffMs(failures: number, random: number): number {
  if (failures === 0) return Math.round(firstMs * random);
  const longest = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 30));
  return Math.round(longest * (0.5 + random / 2));
}
