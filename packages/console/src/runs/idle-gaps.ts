import type { Period, Span } from "./span.ts";

/** The shortest gap, in milliseconds. */
const minGapMs = 1000;

/**
 * Finds the periods in which no call ran, between the first span and the last one. A call does not run while it waits
 * for a person.
 *
 * @param now the end of spans that continue.
 */
export function findIdleGaps(spans: readonly Span[], now: number): readonly Period[] {
  const waits = new Map<string, Span[]>();
  for (const span of spans) {
    if (span.kind !== "wait" || span.parent === undefined) continue;
    const ofCall = waits.get(span.parent);
    if (ofCall === undefined) waits.set(span.parent, [span]);
    else ofCall.push(span);
  }
  const active: Period[] = [];
  let end = -Infinity;
  for (const span of spans) {
    const to = span.to ?? (span.state === "unknown" ? span.from : Math.max(now, span.from));
    end = Math.max(end, to);
    if (span.kind === "call") addActive(active, span.from, to, waits.get(span.id), now);
  }
  active.sort((one, other) => one.from - other.from);
  const [first] = active;
  if (first === undefined) return [];
  const gaps: Period[] = [];
  let reached = first.to;
  const addGap = (until: number): void => {
    if (until - reached >= minGapMs) gaps.push({ from: reached, to: until });
  };
  for (const { from, to } of active) {
    addGap(from);
    reached = Math.max(reached, to);
  }
  addGap(end);
  return gaps;
}

/** Adds the periods of a call without its waits. */
function addActive(
  active: Period[],
  from: number,
  to: number,
  waits: readonly Span[] = [],
  now: number,
): void {
  let start = from;
  for (const wait of waits) {
    active.push({ from: start, to: Math.max(start, wait.from) });
    start = wait.to ?? Math.max(now, wait.from);
    if (wait.to === undefined) return;
  }
  active.push({ from: start, to: Math.max(start, to) });
}
