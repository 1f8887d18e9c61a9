import type { JsonValue } from "@toolweave/core";
import {
  estimateSize,
  readArtifacts,
  readMember,
  readNumber,
  readOutput,
  readText,
} from "./event-members.ts";
import type { OpenSpan, SpanEvent, SpanKind, SpanState } from "./span.ts";

/** Maximum number of names of tools in a row. */
const maxTools = 100;

/** A call while its events arrive. */
interface CallFold {
  readonly span: OpenSpan;
  readonly callId: string;
  readonly parentCallId: string | undefined;
  /** The stream of its last event. */
  stream: string;
  /** When its first attempt began. */
  startedAt: number | undefined;
  /** The spans below it that have not ended. */
  attempt: OpenSpan | undefined;
  retry: OpenSpan | undefined;
  wait: OpenSpan | undefined;
  /** The last one that has ended. */
  answered: OpenSpan | undefined;
  task: OpenSpan | undefined;
}

/** A span with arguments or an output, and their estimated size in characters. */
export interface Payload {
  readonly span: OpenSpan;
  readonly size: number;
}

/** A call that has not ended, and the stream of its last event. */
export interface OpenCall {
  readonly span: OpenSpan;
  readonly stream: string;
}

const endStates: Readonly<Record<string, SpanState>> = {
  "task.completed": "ok",
  "task.failed": "error",
  "task.cancelled": "cancelled",
};

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
export class RunFold {
  readonly runId: string;
  startedAt: number;
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
  *openCalls(): Generator<OpenCall> {
    for (const calls of this.#open.values()) yield* calls;
  }

  /** Applies an event of this run. */
  add(event: SpanEvent): void {
    const { type, time } = event;
    const callId = readText(event, "callId");
    if (callId === undefined) return;
    // It follows the end of its call.
    if (type === "tool.late") return;
    const call =
      type === "tool.requested" ? this.#beginCall(event, callId) : this.#findCall(event, callId);
    if (call === undefined) return;
    this.lastAt = Math.max(this.lastAt, time);
    call.stream = event.stream ?? "";
    this.#apply(call, event);
  }

  /** Drops the spans of the older half of the ended calls. Returns the number of dropped spans. */
  dropOldest(): number {
    const ended = this.spans.filter(({ kind, to }) => kind === "call" && to !== undefined);
    const dropped = new Set(ended.slice(0, Math.ceil(ended.length / 2)).map(({ id }) => id));
    const before = this.spans.length;
    this.spans = this.spans.filter(
      ({ id, kind, parent }) =>
        !dropped.has(id) && !(kind !== "call" && parent !== undefined && dropped.has(parent)),
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

  #beginCall(event: SpanEvent, callId: string): CallFold {
    const { time } = event;
    const tool = readText(event, "tool") ?? "";
    const parentCallId = readText(event, "parentCallId");
    const parent = parentCallId === undefined ? undefined : this.#byCallId.get(parentCallId);
    const span = this.#addSpan("call", callId, tool, time, "running", parent);
    const call: CallFold = {
      span,
      callId,
      parentCallId,
      stream: "",
      startedAt: undefined,
      attempt: undefined,
      retry: undefined,
      wait: undefined,
      answered: undefined,
      task: undefined,
    };
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
    const parentCallId = readText(event, "parentCallId");
    const found =
      calls?.find((call) => call.parentCallId === parentCallId && this.#expects(call, event)) ??
      calls?.[0];
    if (found !== undefined) return found;
    if (event.type === "tool.resumed") return this.#beginCall(event, callId);
    // Events that follow the end of their call, such as that of its task.
    if (this.#byCallId.has(callId) || !beginningTypes.has(event.type)) return undefined;
    this.headless += 1;
    return this.#beginCall(event, callId);
  }

  /** True if the event is one that the call can have next. */
  #expects({ wait, span }: CallFold, event: SpanEvent): boolean {
    if (readText(event, "tool") !== span.tool) return false;
    return event.type === "tool.resumed" ? wait !== undefined : true;
  }

  #apply(call: CallFold, event: SpanEvent): void {
    const { span } = call;
    const { type } = event;
    switch (type) {
      case "tool.requested":
        return this.#setArguments(span, event);
      case "tool.authorized":
        setTexts(span, event, ["rule", "reason", "by"]);
        return;
      case "tool.started":
        call.startedAt = event.time;
        // The arguments that the tool gets, in place of those that the model sent.
        return this.#setArguments(span, event);
      case "tool.retried":
        return this.#retry(call, event);
      case "tool.interrupted":
      case "tool.suspended":
        this.#endAttempt(call, event, "waiting");
        return this.#beginWait(call, event);
      case "tool.resumed":
        return this.#endWait(call, event);
      case "tool.replayed":
        return this.#endReplayed(call, event);
      case "tool.rejected":
        return this.#reject(call, event);
      case "tool.completed":
        return this.#complete(call, event);
      case "tool.failed":
        setTexts(span, event, ["code", "message"]);
        return this.#endCall(call, event, span.code === "cancelled" ? "cancelled" : "error");
      case "task.created":
      case "task.working":
        return this.#beginTask(call, event);
      case "task.input_required":
        if (call.task !== undefined) call.task.state = "waiting";
        return;
      case "task.completed":
      case "task.failed":
      case "task.cancelled":
        // The call has not ended: it was cancelled while it waited.
        return this.#endCall(call, event, endStates[type] as SpanState);
    }
  }

  #retry(call: CallFold, event: SpanEvent): void {
    const { span, startedAt } = call;
    const { time } = event;
    const attempt = readNumber(event, "attempt") ?? 1;
    const { callId, tool } = span;
    call.attempt ??= this.#addSpan(
      "attempt",
      callId,
      tool,
      startedAt ?? span.from,
      "running",
      span,
    );
    call.attempt.attempt = attempt;
    setTexts(call.attempt, event, ["code"]);
    this.#endAttempt(call, event, "error");
    const next = time + Math.max(0, readNumber(event, "delayMs") ?? 0);
    const retry = this.#addSpan("retry", callId, tool, time, "ok", span);
    retry.attempt = attempt + 1;
    retry.to = next;
    call.retry = retry;
    call.attempt = this.#addSpan("attempt", callId, tool, next, "running", span);
    call.attempt.attempt = attempt + 1;
  }

  #beginWait(call: CallFold, event: SpanEvent): void {
    if (call.wait !== undefined) return;
    const { span, task } = call;
    const wait = this.#addSpan("wait", span.callId, span.tool, event.time, "waiting", span);
    const approvalId = readText(event, "interruptionId");
    if (approvalId !== undefined) wait.approvalId = approvalId;
    call.wait = wait;
    span.state = "waiting";
    if (task !== undefined) task.state = "waiting";
    this.waiting += 1;
  }

  #endWait(call: CallFold, event: SpanEvent): void {
    const { span, wait, task } = call;
    span.state = "running";
    if (task !== undefined) task.state = "running";
    if (wait === undefined) return;
    call.wait = undefined;
    call.answered = wait;
    this.waiting -= 1;
    end(wait, event.time, "ok");
    setTexts(wait, event, ["by"]);
  }

  #reject(call: CallFold, event: SpanEvent): void {
    const { span } = call;
    setTexts(span, event, ["code", "message"]);
    const { answered } = call;
    if (span.code === "approval_rejected" && answered !== undefined) {
      answered.state = "rejected";
      if (answered.by !== undefined) span.by = answered.by;
    }
    this.#endCall(call, event, span.code === "cancelled" ? "cancelled" : "rejected");
  }

  #complete(call: CallFold, event: SpanEvent): void {
    const { span } = call;
    setTexts(span, event, ["code"]);
    const outputBytes = readNumber(event, "outputBytes");
    if (outputBytes !== undefined) span.outputBytes = outputBytes;
    const artifacts = readArtifacts(event);
    if (artifacts !== undefined) span.artifacts = artifacts;
    if (this.#onPayload !== undefined) {
      const output = readOutput(event);
      if (output !== undefined) this.#store(span, { output });
    }
    this.#endCall(call, event, readMember(event, "isError") === true ? "error" : "ok");
  }

  #endReplayed(call: CallFold, event: SpanEvent): void {
    const { span } = call;
    setTexts(span, event, ["code"]);
    const status = readText(event, "status");
    if (status === "interrupted") return this.#beginWait(call, event);
    const isOk = status === "completed" && span.code === undefined;
    this.#endCall(call, event, isOk ? "ok" : "error");
  }

  #beginTask(call: CallFold, event: SpanEvent): void {
    const { span } = call;
    const taskId = readText(event, "taskId");
    if (call.task === undefined) {
      call.task = this.#addSpan("task", span.callId, span.tool, event.time, "running", span);
      if (taskId !== undefined) call.task.taskId = taskId;
    }
    call.task.state = "running";
  }

  #endCall(call: CallFold, event: SpanEvent, state: SpanState): void {
    const { span, callId, wait, task } = call;
    const { time } = event;
    const { code } = span;
    this.#endAttempt(call, event, state);
    if (wait !== undefined) {
      this.waiting -= 1;
      end(wait, time, "cancelled");
    }
    if (task !== undefined) {
      end(task, time, state);
      if (code !== undefined) task.code = code;
    }
    end(span, time, state);
    if (state === "error" || state === "rejected") this.failed += 1;
    const same = this.#open.get(callId)?.filter((other) => other !== call) ?? [];
    if (same.length === 0) this.#open.delete(callId);
    else this.#open.set(callId, same);
  }

  /** Ends the current attempt. If the call ended in the delay before it, there is no such attempt. */
  #endAttempt(call: CallFold, event: SpanEvent, state: SpanState): void {
    const { attempt, retry, span } = call;
    call.attempt = undefined;
    call.retry = undefined;
    if (attempt === undefined) return;
    const { time } = event;
    const last = readNumber(event, "attempt");
    const hasBegun = last === undefined ? time >= attempt.from : last >= (attempt.attempt ?? 1);
    if (retry !== undefined && !hasBegun) {
      end(retry, time, state);
      this.spans.splice(this.spans.lastIndexOf(attempt), 1);
      return;
    }
    if (state !== "ok" && state !== "waiting" && span.code !== undefined)
      attempt.code ??= span.code;
    end(attempt, time, state);
  }

  /** Ends a call that waits for a person: it was resumed in another run. */
  moveTo(runId: string, event: SpanEvent): void {
    const approvalId = readText(event, "interruptionId");
    for (const calls of this.#open.values()) {
      for (const call of calls) {
        if (call.wait?.approvalId !== approvalId) continue;
        this.#endWait(call, event);
        call.span.message = `It was resumed in the run ${runId}.`;
        this.#endCall(call, event, "ok");
        return;
      }
    }
  }

  #setArguments(span: OpenSpan, event: SpanEvent): void {
    if (this.#onPayload === undefined) return;
    const args = readMember(event, "arguments");
    if (args !== undefined) this.#store(span, { arguments: args as JsonValue });
  }

  #store(span: OpenSpan, payload: Pick<OpenSpan, "arguments" | "output">): void {
    Object.assign(span, payload);
    this.#onPayload?.({ span, size: estimateSize(payload) });
  }

  #addSpan(
    kind: SpanKind,
    callId: string,
    tool: string,
    from: number,
    state: SpanState,
    parent: OpenSpan | undefined,
  ): OpenSpan {
    const id = String(this.#nextId++);
    const span: OpenSpan = { id, callId, kind, tool, from, state };
    if (parent !== undefined) span.parent = parent.id;
    this.spans.push(span);
    return span;
  }
}

/** Ends a span. The clock of another process may be behind. */
function end(span: OpenSpan, time: number, state: SpanState): void {
  span.to = Math.max(span.from, time);
  span.state = state;
}

/** Copies members that are texts from an event to a span. */
function setTexts<Name extends "code" | "message" | "rule" | "reason" | "by">(
  span: OpenSpan,
  event: SpanEvent,
  names: readonly Name[],
): void {
  for (const name of names) {
    const value = readText(event, name);
    if (value !== undefined) span[name] = value;
  }
}
