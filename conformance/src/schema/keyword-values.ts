/** The number of a keyword; `fallback` if it is absent or no number. */
export function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}

/** The strings of a keyword that has a list. */
export function filterStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((member) => typeof member === "string") : [];
}
