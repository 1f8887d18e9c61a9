/** A span of time in milliseconds. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** A part of a time axis: a stretch of time and its place, as fractions of the width. */
interface Segment extends TimeRange {
  readonly start: number;
  readonly end: number;
  readonly isFolded: boolean;
}

/** A mark of the axis. */
export interface Tick {
  /** A fraction of the width. */
  readonly position: number;
  /** Milliseconds from the beginning of the run; of a folded gap: its length. */
  readonly time: number;
  readonly isGap: boolean;
}

/** The width of a folded gap, as a fraction. */
const gapWidth = 0.02;
const maxGaps = 15;
/** A shorter gap, as a fraction of the whole time, is not worth a fold. */
const minGap = 0.04;

/** A time axis on which gaps without activity may be folded. */
export class TimeScale {
  readonly #segments: readonly Segment[];

  /** @param gaps Times in which nothing ran; empty: nothing is folded. */
  constructor(range: TimeRange, gaps: readonly TimeRange[]) {
    const total = Math.max(1, range.to - range.from);
    const folded = gaps
      .map(({ from, to }) => ({ from: Math.max(from, range.from), to: Math.min(to, range.to) }))
      .filter(({ from, to }) => to - from > total * minGap)
      .sort((a, b) => b.to - b.from - (a.to - a.from))
      .slice(0, maxGaps)
      .sort((a, b) => a.from - b.from);
    const hidden = folded.reduce((sum, { from, to }) => sum + to - from, 0);
    const perMs = (1 - folded.length * gapWidth) / Math.max(1, total - hidden);
    const segments: Segment[] = [];
    let time = range.from;
    let position = 0;
    const add = (to: number, width: number, isFolded: boolean): void => {
      segments.push({ from: time, to, start: position, end: position + width, isFolded });
      time = to;
      position += width;
    };
    for (const gap of folded) {
      add(gap.from, (gap.from - time) * perMs, false);
      add(gap.to, gapWidth, true);
    }
    add(range.from + total, Math.max(0, 1 - position), false);
    this.#segments = segments;
  }

  /** The place of a time as a fraction of the width, from 0 to 1. */
  position(time: number): number {
    const segment = this.#segments.find(({ to }) => time <= to) ?? this.#segments.at(-1);
    if (segment === undefined) return 0;
    const { from, to, start, end } = segment;
    const part = to === from ? 0 : (time - from) / (to - from);
    return Math.max(0, Math.min(1, start + part * (end - start)));
  }

  /** The time at a place. */
  time(position: number): number {
    const segment = this.#segments.find(({ end }) => position <= end) ?? this.#segments.at(-1);
    if (segment === undefined) return 0;
    const { from, to, start, end } = segment;
    return end === start ? from : from + ((position - start) / (end - start)) * (to - from);
  }

  /** About five marks with round times since `origin`, and one for each folded gap. */
  ticks(origin: number): readonly Tick[] {
    const open = this.#segments.filter(({ isFolded }) => !isFolded);
    const active = open.reduce((sum, { from, to }) => sum + to - from, 0);
    const step = roundStep(active / 5);
    const ticks: Tick[] = [];
    for (const { from, to, start, isFolded } of this.#segments) {
      if (isFolded) ticks.push({ position: start, time: to - from, isGap: true });
      else {
        const first = Math.ceil((from - origin) / step) * step;
        for (let time = first; time <= to - origin; time += step) {
          ticks.push({ position: this.position(time + origin), time, isGap: false });
        }
      }
    }
    return ticks;
  }
}

/** The next of 1, 2 and 5 times a power of ten, or of minutes and hours. */
function roundStep(ms: number): number {
  const long = [60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000];
  if (ms > 50_000) return long.find((step) => step >= ms) ?? Math.ceil(ms / 3_600_000) * 3_600_000;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, ms)));
  return ([1, 2, 5, 10].find((factor) => factor * power >= ms) ?? 10) * power;
}
