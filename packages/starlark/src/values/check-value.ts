/**
 * Rejects a value that a host has passed by mistake: without it, a limit that is `NaN` would never be reached.
 *
 * @param place the function and the option, for the error: `compile: text`.
 * @param use the values that are valid.
 * @throws TypeError
 */
export function checkValue(isValid: boolean, place: string, value: unknown, use: string): void {
  if (isValid) return;
  const isNamed = typeof value === "string" || typeof value === "number" || value === null;
  const found = isNamed ? String(value) : typeof value;
  throw new TypeError(`${place} is ${found.slice(0, 80)}; use ${use}.`);
}
