/** A row of the results. */
export interface Row {
  readonly what: string;
  readonly inspector: string;
  readonly studio: string;
  /** Absent: the row is for comparison. */
  readonly goal?: { readonly text: string; readonly isMet: boolean };
}

export const columns: readonly string[] = ["what", "MCP Inspector", "Studio", "goal", "result"];

export function toCells({ what, inspector, studio, goal }: Row): readonly string[] {
  if (goal === undefined) return [what, inspector, studio, "", ""];
  return [what, inspector, studio, goal.text, goal.isMet ? "met" : `missed (${studio})`];
}

/** A goal that a number must not be above. */
export function atMost(value: number, limit: number, unit: string): Required<Row>["goal"] {
  const text = `${limit.toLocaleString("en")} ${unit}`.trimEnd();
  return { text: limit === 0 ? text : `≤ ${text}`, isMet: value <= limit };
}

export function formatMs(value: number): string {
  const isSmall = value < 10;
  return `${isSmall ? value.toFixed(1) : Math.round(value).toLocaleString("en")} ms`;
}

/** Kilobytes of 1,000 bytes. */
export function formatKb(bytes: number): string {
  const kilobytes = bytes / 1000;
  return `${kilobytes < 100 ? kilobytes.toFixed(1) : Math.round(kilobytes).toLocaleString("en")} KB`;
}

export function formatMb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The value below which a part of the values is. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
