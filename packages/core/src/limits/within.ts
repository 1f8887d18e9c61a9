/**
 * True when `amount` more stays within `limit`. Tolerates the rounding errors of binary fractions: three times 0.1 is
 * within 0.3. NaN is never within a limit.
 */
export function within(limit: number, used: number, amount: number): boolean {
  return used + amount <= limit * (1 + 1e-12);
}
