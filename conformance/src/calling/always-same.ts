/** How often a call that was answered otherwise is made again alone, until that counts. */
const repetitions = 12;

/**
 * Whether a call that is made alone, again and again, answers the same as `before` each time. Asked
 * wherever one answer differs from another: a die may well fall alike twice. One that is asked for
 * what changes is soon found out, so that the many repetitions cost something only where there is a
 * fault.
 *
 * @param again makes the call alone once more.
 */
export async function isAlwaysSame<T>(before: T, again: () => Promise<T>): Promise<boolean> {
  for (let time = 0; time < repetitions; time++) {
    if ((await again()) !== before) return false;
  }
  return true;
}
