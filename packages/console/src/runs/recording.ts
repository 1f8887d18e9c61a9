import { SpanBuilder } from "./span-builder.ts";
import type { RunDetails, RunRow, Span, SpanEvent } from "./span.ts";

/** Events that another process has recorded, or still records. */
export interface ConsoleRecording {
  /** A name for people, unique: that of the file, for example. */
  readonly name: string;
  /**
   * Reads the recording in its order. `(options) => readEvents(path, options)` does that for a file of `eventFile`
   * (both are in `@toolweave/stores`).
   *
   * @param options `after`: only what follows the last event of that stream up to that number. `runId`: only the events
   * of that run.
   */
  read(options: RecordingReadOptions): AsyncIterable<SpanEvent>;
}

/** Which part of a recording is read. */
export interface RecordingReadOptions {
  readonly after?: { readonly stream: string; readonly seq: number };
  readonly runId?: string;
}

/** A recording is read again after so many milliseconds. */
const refreshMs = 1000;
/** Events of several processes are in order up to so many milliseconds. */
const slackMs = 1000;

/**
 * The runs of a recording. New events are added when the runs are read. Arguments and outputs that are no longer in
 * memory are read from the recording again.
 */
export class RecordingIndex {
  readonly name: string;
  readonly #recording: ConsoleRecording;
  readonly #spans = new SpanBuilder();
  /** The last event with a number, as it was read. */
  #last: { readonly stream: string; readonly seq: number } | undefined;
  /** The number of notices after it, which are read again. */
  #notices = 0;
  #refreshedAt = -Infinity;
  #refreshing: Promise<void> | undefined;

  readonly #now: () => number;

  /** @param now milliseconds of a clock that only goes forward. */
  constructor(recording: ConsoleRecording, now: () => number = () => performance.now()) {
    this.#now = now;
    this.name = recording.name;
    this.#recording = recording;
  }

  /** Returns the runs, newest first. */
  async runs(): Promise<readonly RunRow[]> {
    await this.#refresh();
    return this.#spans.runs().map((row) => ({ ...row, recording: this.name }));
  }

  /** Returns a run; `undefined`: it is not in the recording. */
  async details(runId: string, withPayloads: boolean): Promise<RunDetails | undefined> {
    await this.#refresh();
    const run = this.#spans.details(runId);
    if (run === undefined) return undefined;
    const named = { ...run, recording: this.name };
    if (!withPayloads || !this.#spans.hasDroppedPayloads) return named;
    const full = await this.#readRun(runId);
    const byId = new Map(full.details(runId)?.spans.map((span) => [span.id, span]));
    return { ...named, spans: run.spans.map((span) => addPayload(span, byId.get(span.id))) };
  }

  /** Returns a span with its arguments and output; `undefined`: it is not in the recording. */
  async span(runId: string, id: string): Promise<Span | undefined> {
    await this.#refresh();
    const span = this.#spans.span(runId, id);
    if (span === undefined || span.kind !== "call" || !this.#spans.hasDroppedPayloads) return span;
    if (span.arguments !== undefined || span.output !== undefined) return span;
    const spans = await this.#readRun(runId, span.to === undefined ? Infinity : span.to + slackMs);
    return addPayload(span, spans.span(runId, id));
  }

  /** Reads a run again, up to a time. The same events in the same order get the same ids. */
  async #readRun(runId: string, until = Infinity): Promise<SpanBuilder> {
    const spans = new SpanBuilder();
    for await (const event of this.#recording.read({ runId })) {
      // What follows could only replace the arguments and outputs that are in memory.
      if (event.time > until) break;
      spans.add(event);
    }
    return spans;
  }

  #refresh(): Promise<void> {
    if (this.#now() - this.#refreshedAt < refreshMs) return Promise.resolve();
    this.#refreshing ??= this.#read().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #read(): Promise<void> {
    const after = this.#last === undefined ? {} : { after: this.#last };
    let known = this.#notices;
    for await (const event of this.#recording.read(after)) {
      const { stream, seq } = event;
      if (typeof stream === "string" && typeof seq === "number") {
        // The event itself, after which `readEvents` continues without a search.
        this.#last = event as SpanEvent & { readonly stream: string; readonly seq: number };
        this.#notices = 0;
        known = 0;
      } else if (known > 0) {
        known -= 1;
        continue;
      } else this.#notices += 1;
      this.#spans.add(event);
    }
    this.#refreshedAt = this.#now();
  }
}

function addPayload(span: Span, full: Span | undefined): Span {
  if (full === undefined) return span;
  const { arguments: args, output } = full;
  return {
    ...span,
    ...(args === undefined ? {} : { arguments: args }),
    ...(output === undefined ? {} : { output }),
  };
}
