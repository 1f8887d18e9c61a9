/** A value in an error text; `JSON.stringify` would make `null` of `NaN` and of `Infinity`. */
export function formatValue(value: unknown): string {
  if (typeof value === "number") return String(value);
  try {
    return (JSON.stringify(value, (_, member: unknown) => readable(member)) ?? typeof value).slice(
      0,
      80,
    );
  } catch {
    return typeof value;
  }
}

function readable(member: unknown): unknown {
  return typeof member === "number" && !Number.isFinite(member) ? String(member) : member;
}
