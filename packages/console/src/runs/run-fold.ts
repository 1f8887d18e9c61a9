import { CallFold, type CallSpans } from "./call-fold.ts";
import { estimateSize, readText } from "./event-members.ts";
import type { OpenSpan, SpanEvent, SpanKind, SpanState } from "./span.ts";

/** Maximum number of names of tools in a row. */
const maxTools = 100;

/** A span with arguments or an output, and their estimated size in characters. */
export interface Payload {
  readonly span: OpenSpan;
  readonly size: number;
}

/** Types of events from which a call is known whose beginning is missing. */
const beginningTypes: ReadonlySet<string> = new Set([
  "tool.authorized",
  "tool.started",
  "tool.retried",
  "tool.interrupted",
  "tool.suspended",
  "tool.rejected",
  "tool.completed",
  "tool.failed",
  "task.created",
  "task.working",
]);

/** The spans of one run, from its events. */
export class RunFold implements CallSpans {
  readonly runId: string;
  readonly startedAt: number;
  lastAt: number;
  calls = 0;
  failed = 0;
  waiting = 0;
  readonly tools: Set<string> = new Set();
  /** In the order in which they were found. */
  spans: OpenSpan[] = [];
  /** The number of calls whose beginning is missing. */
  headless = 0;
  /** The number of ended calls whose spans were dropped. */
  droppedCalls = 0;
  /** Calls that have not ended, by id: several if calls at the same time share one. */
  readonly #open = new Map<string, CallFold[]>();
  /** The span of the last call of each id. */
  readonly #byCallId = new Map<string, OpenSpan>();
  readonly #onPayload: ((payload: Payload) => void) | undefined;
  #nextId = 1;

  /** @param onPayload receives spans that got arguments or an output; absent: payloads are not stored. */
  constructor(runId: string, time: number, onPayload: ((payload: Payload) => void) | undefined) {
    this.runId = runId;
    this.startedAt = time;
    this.lastAt = time;
    this.#onPayload = onPayload;
  }

  /** True while a call is running or waits for a person. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Returns the calls that have not ended. */
  *openCalls(): Generator<CallFold> {
    for (const calls of this.#open.values()) yield* calls;
  }

  /** Applies an event of this run. */
  add(event: SpanEvent): void {
    const { type, time } = event;
    const callId = readText(event, "callId");
    // A late end follows the end of its call.
    if (callId === undefined || type === "tool.late") return;
    const call =
      type === "tool.requested" ? this.#beginCall(event, callId) : this.#findCall(event, callId);
    if (call === undefined) return;
    this.lastAt = Math.max(this.lastAt, time);
    call.stream = event.stream ?? "";
    call.add(event);
  }

  /** Ends the call that waits for the approval of an event: it was resumed in another run. */
  moveTo(runId: string, event: SpanEvent): void {
    const approvalId = readText(event, "interruptionId");
    const waiting = [...this.openCalls()].find((call) => call.approvalId === approvalId);
    waiting?.moveTo(runId, event);
  }

  /** Drops the spans of the older half of the ended calls. Returns the number of dropped spans. */
  dropOldest(): number {
    const ended = this.spans.filter(({ kind, to }) => kind === "call" && to !== undefined);
    const dropped = new Set(ended.slice(0, Math.ceil(ended.length / 2)).map(({ id }) => id));
    const before = this.spans.length;
    this.spans = this.spans.filter(
      ({ id, kind, parent = "" }) => !dropped.has(id) && (kind === "call" || !dropped.has(parent)),
    );
    for (const span of this.spans) {
      if (span.parent !== undefined && dropped.has(span.parent)) delete span.parent;
    }
    for (const [callId, { id }] of this.#byCallId) {
      if (dropped.has(id)) this.#byCallId.delete(callId);
    }
    this.droppedCalls += dropped.size;
    return before - this.spans.length;
  }

  addChild(kind: SpanKind, parent: OpenSpan, from: number, state: SpanState): OpenSpan {
    const { callId, tool } = parent;
    return this.#addSpan({ callId, kind, tool, from, state }, parent);
  }

  remove(span: OpenSpan): void {
    this.spans.splice(this.spans.lastIndexOf(span), 1);
  }

  store(span: OpenSpan, payload: Pick<OpenSpan, "arguments" | "output">): void {
    if (this.#onPayload === undefined) return;
    Object.assign(span, payload);
    this.#onPayload({ span, size: estimateSize(payload) });
  }

  countWaiting(change: 1 | -1): void {
    this.waiting += change;
  }

  end(call: CallFold, state: SpanState): void {
    if (state === "error" || state === "rejected") this.failed += 1;
    const { callId } = call.span;
    const same = this.#open.get(callId)?.filter((other) => other !== call) ?? [];
    if (same.length === 0) this.#open.delete(callId);
    else this.#open.set(callId, same);
  }

  #beginCall(event: SpanEvent, callId: string): CallFold {
    const tool = readText(event, "tool") ?? "";
    const parentCallId = readText(event, "parentCallId");
    const parent = parentCallId === undefined ? undefined : this.#byCallId.get(parentCallId);
    const fields = { callId, kind: "call", tool, from: event.time, state: "running" } as const;
    const span = this.#addSpan(fields, parent);
    const call = new CallFold(this, span, parentCallId);
    this.calls += 1;
    if (this.tools.size < maxTools) this.tools.add(tool);
    this.#byCallId.set(callId, span);
    const same = this.#open.get(callId);
    if (same === undefined) this.#open.set(callId, [call]);
    else same.push(call);
    return call;
  }

  /** The call that an event belongs to. If its beginning is missing, it begins now. */
  #findCall(event: SpanEvent, callId: string): CallFold | undefined {
    const calls = this.#open.get(callId);
    const found = calls?.find((call) => call.expects(event)) ?? calls?.[0];
    if (found !== undefined) return found;
    if (event.type === "tool.resumed") return this.#beginCall(event, callId);
    // Events that follow the end of their call, such as that of its task.
    if (this.#byCallId.has(callId) || !beginningTypes.has(event.type)) return undefined;
    this.headless += 1;
    return this.#beginCall(event, callId);
  }

  #addSpan(fields: Omit<OpenSpan, "id">, parent: OpenSpan | undefined): OpenSpan {
    const span: OpenSpan = { id: String(this.#nextId++), ...fields };
    if (parent !== undefined) span.parent = parent.id;
    this.spans.push(span);
    return span;
  }
}
