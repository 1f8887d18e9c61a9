import type { JsonValue } from "@toolweave/core";
import { readArtifacts, readMember, readNumber, readOutput, readText } from "./event-members.ts";
import type { OpenSpan, SpanEvent, SpanKind, SpanState } from "./span.ts";

/** The run of a call, as the call changes it. */
export interface CallSpans {
  /** Adds a span below that of a call. */
  addChild(kind: SpanKind, parent: OpenSpan, from: number, state: SpanState): OpenSpan;
  /** Removes a span that was added lately. */
  remove(span: OpenSpan): void;
  /** Stores arguments or an output with a span, if payloads are stored. */
  store(span: OpenSpan, payload: Pick<OpenSpan, "arguments" | "output">): void;
  /** A call began to wait for a person (1), or ended to (-1). */
  countWaiting(change: 1 | -1): void;
  /** The call has ended. */
  end(call: CallFold, state: SpanState): void;
}

const taskEnds: Readonly<Record<string, SpanState>> = {
  "task.completed": "ok",
  "task.failed": "error",
  "task.cancelled": "cancelled",
};

/** The spans of one call, from its events. */
export class CallFold {
  readonly span: OpenSpan;
  readonly parentCallId: string | undefined;
  /** The stream of its last event. */
  stream = "";
  readonly #run: CallSpans;
  /** The start of its first attempt. */
  #startedAt: number | undefined;
  /** The spans below it that have not ended. */
  #attempt: OpenSpan | undefined;
  #retry: OpenSpan | undefined;
  #wait: OpenSpan | undefined;
  #task: OpenSpan | undefined;
  /** The last wait that has ended. */
  #answered: OpenSpan | undefined;

  constructor(run: CallSpans, span: OpenSpan, parentCallId: string | undefined) {
    this.#run = run;
    this.span = span;
    this.parentCallId = parentCallId;
  }

  /** The approval that it waits for. */
  get approvalId(): string | undefined {
    return this.#wait?.approvalId;
  }

  /** True if the event is one that the call can have next. */
  expects(event: SpanEvent): boolean {
    if (readText(event, "parentCallId") !== this.parentCallId) return false;
    if (readText(event, "tool") !== this.span.tool) return false;
    return event.type !== "tool.resumed" || this.#wait !== undefined;
  }

  /** Applies an event of this call. Types that change no span are ignored. */
  add(event: SpanEvent): void {
    const { span } = this;
    switch (event.type) {
      case "tool.requested":
        return this.#setArguments(event);
      case "tool.authorized":
        return setTexts(span, event, ["rule", "reason", "by"]);
      case "tool.started":
        this.#startedAt = event.time;
        // The arguments that the tool gets, in place of those that the model sent.
        return this.#setArguments(event);
      case "tool.retried":
        return this.#beginRetry(event);
      case "tool.interrupted":
      case "tool.suspended":
        this.#endAttempt(event, "waiting");
        return this.#beginWait(event);
      case "tool.resumed":
        return this.#endWait(event);
      case "tool.replayed":
        return this.#replay(event);
      case "tool.rejected":
        return this.#reject(event);
      case "tool.completed":
        return this.#complete(event);
      case "tool.failed":
        setTexts(span, event, ["code", "message"]);
        return this.#end(event, span.code === "cancelled" ? "cancelled" : "error");
      case "task.created":
      case "task.working":
        return this.#beginTask(event);
      case "task.completed":
      case "task.failed":
      case "task.cancelled":
        // The call has not ended: it was cancelled while it waited.
        return this.#end(event, taskEnds[event.type] as SpanState);
    }
  }

  /** Ends a call that waits for a person: it was resumed in another run. */
  moveTo(runId: string, event: SpanEvent): void {
    this.#endWait(event);
    this.span.message = `It was resumed in the run ${runId}.`;
    this.#end(event, "ok");
  }

  #beginRetry(event: SpanEvent): void {
    const { span } = this;
    const { time } = event;
    const attempt = readNumber(event, "attempt") ?? 1;
    this.#attempt ??= this.#run.addChild("attempt", span, this.#startedAt ?? span.from, "running");
    this.#attempt.attempt = attempt;
    setTexts(this.#attempt, event, ["code"]);
    this.#endAttempt(event, "error");
    const next = time + Math.max(0, readNumber(event, "delayMs") ?? 0);
    this.#retry = this.#run.addChild("retry", span, time, "ok");
    this.#retry.attempt = attempt + 1;
    this.#retry.to = next;
    this.#attempt = this.#run.addChild("attempt", span, next, "running");
    this.#attempt.attempt = attempt + 1;
  }

  #beginWait(event: SpanEvent): void {
    if (this.#wait !== undefined) return;
    this.#wait = this.#run.addChild("wait", this.span, event.time, "waiting");
    const approvalId = readText(event, "interruptionId");
    if (approvalId !== undefined) this.#wait.approvalId = approvalId;
    this.#setState("waiting");
    this.#run.countWaiting(1);
  }

  #endWait(event: SpanEvent): void {
    this.#setState("running");
    const wait = this.#wait;
    if (wait === undefined) return;
    this.#wait = undefined;
    this.#answered = wait;
    this.#run.countWaiting(-1);
    endSpan(wait, event.time, "ok");
    setTexts(wait, event, ["by"]);
  }

  #reject(event: SpanEvent): void {
    const { span } = this;
    setTexts(span, event, ["code", "message"]);
    const answered = this.#answered;
    if (span.code === "approval_rejected" && answered !== undefined) {
      answered.state = "rejected";
      if (answered.by !== undefined) span.by = answered.by;
    }
    this.#end(event, span.code === "cancelled" ? "cancelled" : "rejected");
  }

  #complete(event: SpanEvent): void {
    const { span } = this;
    setTexts(span, event, ["code"]);
    const outputBytes = readNumber(event, "outputBytes");
    if (outputBytes !== undefined) span.outputBytes = outputBytes;
    const artifacts = readArtifacts(event);
    if (artifacts !== undefined) span.artifacts = artifacts;
    const output = readOutput(event);
    if (output !== undefined) this.#run.store(span, { output });
    this.#end(event, readMember(event, "isError") === true ? "error" : "ok");
  }

  #replay(event: SpanEvent): void {
    const { span } = this;
    setTexts(span, event, ["code"]);
    const status = readText(event, "status");
    if (status === "interrupted") return this.#beginWait(event);
    this.#end(event, status === "completed" && span.code === undefined ? "ok" : "error");
  }

  #beginTask(event: SpanEvent): void {
    this.#task ??= this.#run.addChild("task", this.span, event.time, "running");
    this.#task.state = "running";
    const taskId = readText(event, "taskId");
    if (taskId !== undefined) this.#task.taskId = taskId;
  }

  #end(event: SpanEvent, state: SpanState): void {
    const { span } = this;
    const { time } = event;
    this.#endAttempt(event, state);
    if (this.#wait !== undefined) {
      this.#run.countWaiting(-1);
      endSpan(this.#wait, time, "cancelled");
      this.#wait = undefined;
    }
    if (this.#task !== undefined) {
      endSpan(this.#task, time, state);
      if (span.code !== undefined) this.#task.code = span.code;
    }
    endSpan(span, time, state);
    this.#run.end(this, state);
  }

  /** Ends the current attempt. If the call ended in the delay before it, there is no such attempt. */
  #endAttempt(event: SpanEvent, state: SpanState): void {
    const [attempt, retry] = [this.#attempt, this.#retry];
    this.#attempt = undefined;
    this.#retry = undefined;
    if (attempt === undefined) return;
    const { time } = event;
    const last = readNumber(event, "attempt");
    const hasBegun = last === undefined ? time >= attempt.from : last >= (attempt.attempt ?? 1);
    if (retry !== undefined && !hasBegun) {
      endSpan(retry, time, state);
      this.#run.remove(attempt);
      return;
    }
    const { code } = this.span;
    if (state !== "ok" && state !== "waiting" && code !== undefined) attempt.code ??= code;
    endSpan(attempt, time, state);
  }

  #setState(state: SpanState): void {
    this.span.state = state;
    if (this.#task !== undefined) this.#task.state = state;
  }

  #setArguments(event: SpanEvent): void {
    const args = readMember(event, "arguments");
    if (args !== undefined) this.#run.store(this.span, { arguments: args as JsonValue });
  }
}

/** Ends a span. The clock of another process may be behind. */
function endSpan(span: OpenSpan, time: number, state: SpanState): void {
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
