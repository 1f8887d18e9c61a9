/** Parts of a text: where each begins and ends, one after the other. */
export type Spans = number[];

/** The replacement of a secret. */
export const mask = "[redacted]";

/** The text with `by` in place of its parts; parts that overlap are one. */
export function replaceSpans(text: string, spans: Spans, by: (part: string) => string): string {
  let result = "";
  let at = 0;
  for (const [start, end] of merged(spans)) {
    result += text.slice(at, start) + by(text.slice(start, end));
    at = end;
  }
  return result + text.slice(at);
}

/** In order, without overlaps. */
export function merged(spans: Spans): [start: number, end: number][] {
  const pairs: [number, number][] = [];
  for (let index = 0; index < spans.length; index += 2) {
    pairs.push([spans[index] as number, spans[index + 1] as number]);
  }
  pairs.sort(([a], [b]) => a - b);
  const result: [number, number][] = [];
  for (const pair of pairs) {
    const last = result.at(-1);
    if (last === undefined || pair[0] >= last[1]) result.push(pair);
    else if (pair[1] > last[1]) last[1] = pair[1];
  }
  return result;
}
