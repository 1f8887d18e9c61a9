import type { RecordedDecision } from "../audit/audit-sink.ts";
import { isThenable } from "../json/json.ts";
import type { ToolOutput, ToolResult } from "../contract/tool-result.ts";
import { errorCodes, type ToolError } from "../contract/tool-error.ts";
import { truncateUtf8 } from "../text/utf8.ts";
import { toJson } from "../json/to-json.ts";
import type { Clock } from "../time/clock.ts";
import type { CallInfo } from "../contract/call-info.ts";
import { redactArguments } from "../redaction/displayed-call.ts";
import {
  getBounds,
  contentBytes,
  fitsPayload,
  frozenJson,
  resultPayload,
  valuePart,
  type ReportedCall,
} from "./event-payload.ts";
import { EventQueue } from "./event-queue.ts";
import type { EventFields, ToolEvent, ToolEventListener } from "./tool-event.ts";
import type { ToolProgress } from "../contract/tool.ts";
import { redactStreamedText } from "../redaction/redact-output.ts";

const maxTextBytes = 2000;

/** Emits events to listeners, in order; costs nothing without a listener. */
export class EventStream {
  /** Events carry arguments and outputs. */
  readonly payloads: boolean;
  /** The events that a returning listener has missed; absent: none are stored. */
  readonly backlog: EventQueue | undefined;
  readonly #clock: Clock;
  readonly #listeners = new Set<ToolEventListener>();
  /** Listeners that do not want every event, and whether they want any now. */
  readonly #occasional = new Map<ToolEventListener, () => boolean>();
  #seq = 0;
  #lastEmitted: Pick<ToolEvent, "seq" | "time"> = { seq: 0, time: 0 };
  /** A listener may want some event: the single check of a call when there is no listener. */
  #active: boolean;
  /** A listener wants every event. */
  #isAlways: boolean;
  /** More than one has each event: none may change it for the others. */
  #isShared = false;
  #telling = false;
  /** Events that listeners emit while others have not received the earlier ones. */
  readonly #waiting: ToolEvent[] = [];

  constructor(clock: Clock, payloads: boolean, backlog: number) {
    this.#clock = clock;
    this.payloads = payloads;
    this.backlog = backlog === 0 ? undefined : new EventQueue(backlog, false);
    this.#active = this.#isAlways = backlog > 0;
  }

  /** True when there is a listener; check it before building an event. */
  get active(): boolean {
    return this.#active && (this.#isAlways || this.#isWanted());
  }

  /** The last event that was emitted, or is being emitted. */
  get lastEmitted(): Pick<ToolEvent, "seq" | "time"> {
    return this.#lastEmitted;
  }

  /** @param wanted is asked before each event whether the listener wants any. Default: always. */
  listen(listener: ToolEventListener, wanted?: () => boolean): () => void {
    // One function for each: a listener that is added twice is notified twice, and removed one by one.
    const own: ToolEventListener = (event) => listener(event);
    if (wanted !== undefined) this.#occasional.set(own, wanted);
    else this.#listeners.add(own);
    this.#look();
    return () => {
      this.#listeners.delete(own);
      this.#occasional.delete(own);
      this.#look();
    };
  }

  #look(): void {
    const hearing = this.#listeners.size + this.#occasional.size;
    this.#isShared = hearing + (this.backlog === undefined ? 0 : 1) > 1;
    this.#isAlways = this.backlog !== undefined || this.#listeners.size > 0;
    this.#active = this.#isAlways || hearing > 0;
  }

  /**
   * Emits an event of a call.
   *
   * @param time the time of the event, if the clock has just been read. Default: now.
   */
  emitCall(execution: CallInfo, fields: EventFields, time?: number): void {
    if (!this.active) return;
    const event = this.#begun(execution, fields.type, time ?? this.#clock.now());
    for (const name in fields) event[name] = short(redacted(execution, fields[name]));
    this.#tell(event);
  }

  // The events of an ordinary call. Each event is one literal, since filling in its fields one by one is most of the
  // cost of an event. It is made in a function of its own, so that the compiler can inline the usual case of no listener.

  /** Emits that a call was requested. */
  requested(execution: ReportedCall): void {
    if (this.active) this.#emitRequested(execution);
  }

  #emitRequested(execution: ReportedCall): void {
    const event = this.#begun(execution, "tool.requested", this.#clock.now());
    if (this.payloads) addArguments(event, execution, execution.call);
    this.#tell(event);
  }

  /** Emits that its first attempt starts. */
  started(execution: ReportedCall): void {
    if (this.active) this.#emitStarted(execution);
  }

  #emitStarted(execution: ReportedCall): void {
    const { run, call, attempt, discarded } = execution;
    const event: WrittenEvent = {
      type: "tool.started",
      seq: ++this.#seq,
      time: this.#clock.now(),
      runId: run.id,
      callId: shortId(call.id),
      tool: shortName(call.name),
      attempt,
    };
    if (discarded !== undefined)
      event["discarded"] = Object.freeze([...redacted(execution, discarded)]);
    if (this.payloads) addArguments(event, execution, { arguments: execution.args });
    this.#tell(placed(event, execution));
  }

  /** Emits that it has ended. */
  completed(execution: ReportedCall, result: ToolResult, error: ToolError | undefined): void {
    if (this.active) this.#emitCompleted(execution, result, error);
  }

  #emitCompleted(execution: ReportedCall, result: ToolResult, error: ToolError | undefined): void {
    const { run, call, attempt, warnings } = execution;
    const event: WrittenEvent = {
      type: "tool.completed",
      seq: ++this.#seq,
      time: result.timestamp,
      runId: run.id,
      callId: shortId(call.id),
      tool: shortName(call.name),
      attempt,
      durationMs: result.durationMs,
      isError: result.isError,
      outputBytes: contentBytes(result.content),
    };
    if (error !== undefined) event["code"] = readCode(error);
    if (warnings !== undefined)
      event["warnings"] = Object.freeze(redacted(execution, warnings).map(short));
    if (this.payloads) Object.assign(event, resultPayload(getBounds(execution), result));
    this.#tell(placed(event, execution));
  }

  /** Emits that it may start, and why. */
  authorized(execution: CallInfo, { decision, reason, rule, by, grantId }: RecordedDecision): void {
    if (!this.active) return;
    const { run, call } = execution;
    const event: WrittenEvent = {
      type: "tool.authorized",
      seq: ++this.#seq,
      time: this.#clock.now(),
      runId: run.id,
      callId: shortId(call.id),
      tool: shortName(call.name),
      decision: decision === "allowed" ? "allow" : decision,
      reason: short(redacted(execution, reason)),
      rule,
    };
    if (by !== undefined) event["by"] = redacted(execution, by);
    if (grantId !== undefined) event["grantId"] = grantId;
    this.#tell(placed(event, execution));
  }

  /**
   * Emits a partial output.
   *
   * @param output present when events carry payloads; already bounded and redacted, except for values that are secret
   * only by their names.
   */
  updated(execution: CallInfo, output?: ToolOutput, truncated?: boolean): void {
    if (!this.active) return;
    const event = this.#begun(execution, "tool.updated", this.#clock.now());
    const reported = output === undefined ? undefined : redacted(execution, output);
    if (reported !== undefined) {
      event["output"] = reported === output ? output : frozenJson(reported);
    }
    if (truncated === true) event["truncated"] = true;
    this.#tell(event);
  }

  /** Emits the valid parts of its progress. */
  progressed(execution: CallInfo, given: unknown): void {
    if (!this.active) return;
    const progress = toProgress(execution, given);
    if (progress === undefined) return;
    const event = this.#begun(execution, "tool.progressed", this.#clock.now());
    event["progress"] = progress;
    this.#tell(event);
  }

  #begun(execution: CallInfo, type: string, time: number): WrittenEvent {
    const { run, call } = execution;
    const event: WrittenEvent = {
      type,
      seq: ++this.#seq,
      time,
      runId: run.id,
      callId: shortId(call.id),
      // A model can send a secret as the name of a tool.
      tool: shortName(redacted(execution, call.name)),
    };
    return placed(event, execution);
  }

  /** Emits an event that belongs to no call. */
  emit(fields: EventFields): void {
    if (!this.active) return;
    const { type, ...more } = frozenJson(fields);
    this.#tell({ type, seq: ++this.#seq, time: this.#clock.now(), ...more });
  }

  #isWanted(): boolean {
    for (const wanted of this.#occasional.values()) if (wanted()) return true;
    return false;
  }

  #tell(written: WrittenEvent): void {
    const event = (this.#isShared ? Object.freeze(written) : written) as unknown as ToolEvent;
    if (this.#telling) return void this.#waiting.push(event);
    this.#telling = true;
    this.#hand(event);
    if (this.#waiting.length > 0) {
      for (let at = 0; at < this.#waiting.length; at++) this.#hand(this.#waiting[at] as ToolEvent);
      this.#waiting.length = 0;
    }
    this.#telling = false;
  }

  #hand(event: ToolEvent): void {
    this.#lastEmitted = event;
    this.backlog?.push(event);
    for (const listener of this.#listeners) handTo(listener, event);
    if (this.#occasional.size === 0) return;
    for (const listener of this.#occasional.keys()) handTo(listener, event);
  }
}

type WrittenEvent = Record<string, unknown>;

function handTo(listener: ToolEventListener, event: ToolEvent): void {
  try {
    const answer: unknown = listener(event);
    if (isThenable(answer)) answer.then(undefined, () => {});
  } catch {
    // An observer that throws changes nothing.
  }
}

/** The event with where the call belongs, and for whom it is made. */
function placed(event: WrittenEvent, { parent, run }: CallInfo): WrittenEvent {
  if (run.caller !== undefined) event["caller"] = run.caller;
  if (parent !== undefined) event["parentCallId"] = shortId(parent.call.id);
  if (run.turn !== 0) event["turnId"] = run.turnId;
  return event;
}

function addArguments(
  event: WrittenEvent,
  execution: ReportedCall,
  given: { readonly arguments?: unknown },
): void {
  let args: unknown;
  try {
    args = given.arguments;
  } catch {
    return;
  }
  const bounds = getBounds(execution);
  if (typeof args !== "string" && !fitsPayload(bounds, args)) {
    event["truncated"] = true;
    return;
  }
  const { part, truncated } = valuePart(bounds, redactArguments(execution, toJson(args)));
  if (part !== undefined) event["arguments"] = part;
  if (truncated) event["truncated"] = true;
}

/** A value that cannot be searched for secrets is not emitted. */
function redacted<Value>(execution: CallInfo, value: Value): Value {
  try {
    return execution.redactor?.redactReport(value) ?? value;
  } catch {
    return (
      typeof value === "string" ? "[withheld]" : Array.isArray(value) ? [] : undefined
    ) as Value;
  }
}

function readCode(error: ToolError): string {
  try {
    const code = String(error.code);
    return Object.hasOwn(errorCodes, code) ? code : "execution_failed";
  } catch {
    return "execution_failed";
  }
}

// Ids and names are the model's and the tool's own: of any length.
function shortId(id: string): string {
  return id.length > 333 ? truncateUtf8(id, 1000) : id;
}

function shortName(name: string): string {
  return name.length > 66 ? truncateUtf8(name, 200) : name;
}

function short<Value>(value: Value): Value | string {
  const isLong = typeof value === "string" && value.length * 3 > maxTextBytes;
  return isLong ? truncateUtf8(value, maxTextBytes) : value;
}

const maxMessageBytes = 1000;

/** The valid parts of a tool's progress: each field is read once. `undefined`: none. */
function toProgress(execution: CallInfo, given: unknown): ToolProgress | undefined {
  try {
    const { message, done, total } = given as { readonly [K in keyof ToolProgress]?: unknown };
    const progress: { -readonly [K in keyof ToolProgress]: ToolProgress[K] } = {};
    if (typeof message === "string") {
      const text = redactStreamedText(execution, "progress", message);
      progress.message = truncateUtf8(redacted(execution, text), maxMessageBytes);
    }
    if (typeof done === "number" && Number.isFinite(done)) progress.done = done;
    if (typeof total === "number" && Number.isFinite(total)) progress.total = total;
    return Object.keys(progress).length === 0 ? undefined : Object.freeze(progress);
  } catch {
    return undefined;
  }
}
