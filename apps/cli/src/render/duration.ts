const units = [
  [24 * 60 * 60_000, "d"],
  [60 * 60_000, "h"],
  [60_000, "min"],
  [1000, "s"],
] as const;

/** A span of time in whole units, two at least of what is longer than a second: `90 s`, `24 h`. */
export function formatDuration(ms: number): string {
  const [length, unit] = units.find(([length]) => ms >= 2 * length) ?? [1000, "s"];
  return `${Math.max(0, Math.floor(ms / length))} ${unit}`;
}
