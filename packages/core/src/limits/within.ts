/**
 * Whether `amount` more stays within `limit`. Three times 0.1 is within 0.3, whatever binary
 * fractions make of that; what is no number is not.
 */
export function within(limit: number, used: number, amount: number): boolean {
  return used + amount <= limit * (1 + 1e-12);
}
