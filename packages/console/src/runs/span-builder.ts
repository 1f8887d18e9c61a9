import { readMember, readText } from "./event-members.ts";
import { findIdleGaps } from "./idle-gaps.ts";
import { MissingEvents } from "./missing-events.ts";
import { RunFold, type Payload } from "./run-fold.ts";
import type { OpenSpan, RunDetails, RunRow, Span, SpanEvent } from "./span.ts";

/** Options of `SpanBuilder`. */
export interface SpanBuilderOptions {
  /**
   * Maximum number of spans. Beyond it, the oldest runs without an open call are dropped, then any oldest run; of a run
   * that alone has too many, the oldest ended calls. Default: 100,000.
   */
  readonly maxSpans?: number;
  /**
   * Maximum characters of arguments and outputs, estimated. Beyond it, those of the oldest spans are dropped. 0: none is
   * stored. Default: 16,777,216.
   */
  readonly maxPayloadLength?: number;
  /**
   * Calls of a stream without an event for so many milliseconds are `unknown` if no event reports their end: the process
   * has ended. Infinity, for events of this process: they are always `running`. Default: 600,000, the longest timeout
   * that an executor permits by default.
   */
  readonly maxSilenceMs?: number;
}

const defaultMaxSpans = 100_000;
const defaultMaxPayloadLength = 16_777_216;
const defaultMaxSilenceMs = 600_000;

/** Maximum number of calls that wait for a person and are found if another run resumes them. */
const maxWaits = 10_000;

/** Estimated characters that a span with a payload takes beside it. */
const payloadOverhead = 100;

/** Number of runs with an open call that one eviction passes over. */
const maxSkipped = 16;

/**
 * Builds runs and their spans from the events of executors, one event at a time. The events of one stream must be added
 * in order and without a filter: missing numbers are missing events. Uses no module of Node.
 *
 * @example
 * ```ts
 * const spans = new SpanBuilder();
 * for await (const event of readEvents("run.ndjson")) spans.add(event);
 * const [latest] = spans.runs();
 * ```
 */
export class SpanBuilder {
  readonly #maxSpans: number;
  readonly #maxPayloadLength: number;
  readonly #maxSilenceMs: number;
  /** In the order in which they are dropped. */
  readonly #runs = new Map<string, RunFold>();
  readonly #missing = new MissingEvents();
  /** The run in which a call waits, by approval. */
  readonly #waits = new Map<string, RunFold>();
  /** Spans with arguments or outputs, oldest first, from `#firstPayload` on. */
  #payloads: Payload[] = [];
  #firstPayload = 0;
  #payloadLength = 0;
  #hasDroppedPayloads = false;
  #spans = 0;

  constructor(options: SpanBuilderOptions = {}) {
    this.#maxSpans = options.maxSpans ?? defaultMaxSpans;
    this.#maxPayloadLength = options.maxPayloadLength ?? defaultMaxPayloadLength;
    this.#maxSilenceMs = options.maxSilenceMs ?? defaultMaxSilenceMs;
  }

  /** Adds the next event. Events that are no part of a run only count for missing events. */
  add(event: SpanEvent): void {
    if (typeof event.time !== "number" || typeof event.type !== "string") return;
    this.#missing.add(event);
    const runId = readText(event, "runId");
    if (runId === undefined) return;
    const run = this.#runs.get(runId) ?? this.#newRun(runId, event.time);
    const before = run.spans.length;
    this.#followWait(run, event);
    run.add(event);
    if (run.calls === 0) return;
    if (run.spans.length === 1) this.#runs.set(runId, run);
    this.#spans += run.spans.length - before;
    if (this.#spans > this.#maxSpans) this.#makeRoom();
  }

  /** The number of runs. */
  get size(): number {
    return this.#runs.size;
  }

  /** True after arguments and outputs of spans were dropped. */
  get hasDroppedPayloads(): boolean {
    return this.#hasDroppedPayloads;
  }

  /**
   * Returns the runs, newest first.
   *
   * @param now milliseconds since the epoch. Default: the current time.
   */
  runs(now: number = Date.now()): readonly RunRow[] {
    return [...this.#runs.values()].map((run) => this.#toRow(run, now)).sort(compareNewest);
  }

  /**
   * Returns a run with its spans; `undefined`: it is unknown, or was dropped. Later events do not change it.
   *
   * @param now milliseconds since the epoch. Default: the current time.
   */
  details(runId: string, now: number = Date.now()): RunDetails | undefined {
    const run = this.#runs.get(runId);
    if (run === undefined) return undefined;
    const row = this.#toRow(run, now);
    const unknown = this.#unknownSpans(run, now);
    const spans: Span[] = run.spans.map((span) => toSpan(span, unknown));
    spans.sort((one, other) => one.from - other.from);
    const { startedAt, endedAt = Infinity } = row;
    const missing = this.#missing.count({ from: startedAt, to: endedAt });
    return {
      ...row,
      spans,
      gaps: findIdleGaps(spans, Math.max(now, run.lastAt)),
      missingEvents: missing + run.headless + run.droppedCalls,
    };
  }

  /**
   * Returns a span of a run; `undefined`: one of them is unknown, or was dropped.
   *
   * @param now milliseconds since the epoch. Default: the current time.
   */
  span(runId: string, id: string, now: number = Date.now()): Span | undefined {
    const run = this.#runs.get(runId);
    const span = run?.spans.find((each) => each.id === id);
    return run === undefined || span === undefined
      ? undefined
      : toSpan(span, this.#unknownSpans(run, now));
  }

  #newRun(runId: string, time: number): RunFold {
    return new RunFold(
      runId,
      time,
      this.#maxPayloadLength > 0 ? (payload) => this.#addPayload(payload) : undefined,
    );
  }

  /** A call that waits can be resumed in another run. */
  #followWait(run: RunFold, event: SpanEvent): void {
    const { type } = event;
    const isResumed = type === "tool.resumed";
    if (!isResumed && type !== "tool.interrupted" && type !== "tool.suspended") return;
    const approvalId = readMember(event, "interruptionId");
    if (typeof approvalId !== "string") return;
    if (!isResumed) {
      this.#waits.set(approvalId, run);
      if (this.#waits.size > maxWaits)
        this.#waits.delete(this.#waits.keys().next().value as string);
      return;
    }
    const waiting = this.#waits.get(approvalId);
    this.#waits.delete(approvalId);
    if (waiting !== undefined && waiting !== run) waiting.moveTo(run.runId, event);
  }

  #toRow(run: RunFold, now: number): RunRow {
    const { runId, startedAt, lastAt, calls, failed, waiting, tools } = run;
    const unknown = this.#unknownSpans(run, now);
    const isOpen = [...run.openCalls()].some(({ span }) => !unknown.has(span.id));
    return {
      runId,
      startedAt,
      ...(isOpen ? {} : { endedAt: lastAt }),
      calls,
      failed,
      waiting,
      tools: [...tools],
    };
  }

  /** The ids of calls that ran when their process ended. */
  #unknownSpans(run: RunFold, now: number): ReadonlySet<string> {
    const unknown = new Set<string>();
    if (this.#maxSilenceMs === Infinity) return unknown;
    for (const { span, stream } of run.openCalls()) {
      const last = this.#missing.getLastTime(stream) ?? run.lastAt;
      if (span.state === "running" && now - last > this.#maxSilenceMs) unknown.add(span.id);
    }
    return unknown;
  }

  #addPayload({ span, size }: Payload): void {
    this.#payloads.push({ span, size: size + payloadOverhead });
    this.#payloadLength += size + payloadOverhead;
    while (this.#payloadLength > this.#maxPayloadLength) {
      const oldest = this.#payloads[this.#firstPayload++] as Payload;
      delete oldest.span.arguments;
      delete oldest.span.output;
      this.#payloadLength -= oldest.size;
      this.#hasDroppedPayloads = true;
    }
    if (this.#firstPayload > 1000 && this.#firstPayload * 2 > this.#payloads.length) {
      this.#payloads = this.#payloads.slice(this.#firstPayload);
      this.#firstPayload = 0;
    }
  }

  #makeRoom(): void {
    for (let skipped = 0; this.#spans > this.#maxSpans; skipped++) {
      const run = this.#runs.values().next().value as RunFold;
      if (run.isOpen && this.#runs.size > 1 && skipped < maxSkipped) {
        // It is looked at again when all others were.
        this.#runs.delete(run.runId);
        this.#runs.set(run.runId, run);
        continue;
      }
      if (this.#runs.size > 1) {
        this.#runs.delete(run.runId);
        this.#spans -= run.spans.length;
        continue;
      }
      const dropped = run.dropOldest();
      this.#spans -= dropped;
      if (dropped === 0) return;
    }
  }
}

/** A copy, as of a process that has ended if the span or its parent is one of `unknown`. */
function toSpan(span: OpenSpan, unknown: ReadonlySet<string>): Span {
  const isUnknown = unknown.has(span.id) || (span.parent !== undefined && unknown.has(span.parent));
  return isUnknown && span.state === "running" ? { ...span, state: "unknown" } : { ...span };
}

function compareNewest(one: RunRow, other: RunRow): number {
  if (one.startedAt !== other.startedAt) return other.startedAt - one.startedAt;
  return one.runId < other.runId ? 1 : -1;
}
