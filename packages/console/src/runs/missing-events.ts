import { readMember, readNumber } from "./event-members.ts";
import type { Period, SpanEvent } from "./span.ts";

/** Maximum number of periods; further ones are added to the last one. */
const maxPeriods = 1000;

interface Stream {
  /** The number of its last event. */
  seq: number;
  /** The time of its last event. */
  time: number;
  /** Events that a notice reports as missing, and that no number has confirmed yet. */
  reported: number;
}

interface MissingPeriod {
  readonly from: number;
  to: number;
  count: number;
}

/**
 * Counts the events that are missing in streams, by their numbers: each stream numbers its events without gaps. The
 * events of a stream must be added in order, and without a filter.
 */
export class MissingEvents {
  readonly #streams = new Map<string, Stream>();
  readonly #periods: MissingPeriod[] = [];

  /** Notes an event, or a notice of missing ones. */
  add(event: SpanEvent): void {
    const stream = this.#stream(event);
    const { type, time } = event;
    if (type === "recording.dropped") {
      stream.reported += readNumber(event, "dropped") ?? 1;
      return;
    }
    if (type === "recording.full") {
      stream.reported += 1;
      return;
    }
    const { seq } = event;
    if (typeof seq !== "number") return;
    // Updates that a later one of the same call replaces are not missing.
    const replaced = type === "events.dropped" ? (readNumber(event, "replaced") ?? 0) : 0;
    const isReset = readMember(event, "reset") === true;
    const missing =
      type === "events.dropped"
        ? (readNumber(event, "dropped") ?? 0)
        : stream.seq === 0
          ? stream.reported
          : Math.max(seq - stream.seq - 1 - replaced, 0);
    if (missing > 0) this.#addPeriod(isReset ? time : stream.time, time, missing);
    stream.seq = seq;
    stream.time = time;
    stream.reported = 0;
  }

  /** The time of the last event of a stream. */
  getLastTime(stream: string): number | undefined {
    return this.#streams.get(stream)?.time;
  }

  /** The number of missing events in a period. Those that are missing at the end of a stream belong to every period. */
  count({ from, to }: Period): number {
    let count = 0;
    for (const period of this.#periods) {
      if (period.from <= to && period.to >= from) count += period.count;
    }
    for (const { reported, time } of this.#streams.values()) {
      if (reported > 0 && time >= from) count += reported;
    }
    return count;
  }

  #stream({ stream = "", time }: SpanEvent): Stream {
    let found = this.#streams.get(stream);
    if (found === undefined) {
      this.#streams.set(stream, (found = { seq: 0, time, reported: 0 }));
      if (this.#streams.size > maxPeriods) {
        const [oldest] = this.#streams.keys();
        this.#streams.delete(oldest as string);
      }
    }
    return found;
  }

  #addPeriod(from: number, to: number, count: number): void {
    const last = this.#periods.at(-1);
    if (last !== undefined && this.#periods.length >= maxPeriods) {
      last.to = Math.max(last.to, to);
      last.count += count;
      return;
    }
    this.#periods.push({ from, to, count });
  }
}
