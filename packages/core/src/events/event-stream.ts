import type { Decided } from "../audit/decided.ts";
import { isThenable } from "../spec/json.ts";
import type { ToolResult } from "../spec/tool-result.ts";
import type { Clock } from "../executor/clock.ts";
import type { Execution } from "../executor/execution.ts";
import type { EventFields, ToolEvent, ToolEventListener } from "./tool-event.ts";

/** Hands events to whoever listens; costs nothing while nobody does. */
export class EventStream {
  readonly #clock: Clock;
  readonly #listeners = new Set<ToolEventListener>();
  #seq = 0;
  #active = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True when somebody listens; ask before building an event. */
  get active(): boolean {
    return this.#active;
  }

  listen(listener: ToolEventListener): () => void {
    this.#listeners.add(listener);
    this.#active = true;
    return () => {
      this.#listeners.delete(listener);
      this.#active = this.#listeners.size > 0;
    };
  }

  /**
   * Tells something about a call.
   *
   * @param time when it happened, where the clock has just been read. Default: now.
   */
  emitCall(execution: Execution, fields: EventFields, time?: number): void {
    if (!this.#active) return;
    const event = this.#begun(execution, fields.type, time ?? this.#clock.now());
    for (const name in fields) event[name] = fields[name];
    this.#tell(event);
  }

  // What an ordinary call tells. Each event is one literal, since to fill in its fields one by one
  // is most of what an event costs.

  /** Tells that a call has been asked for. */
  requested(execution: Execution): void {
    if (!this.#active) return;
    this.#tell(this.#begun(execution, "tool.requested", this.#clock.now()));
  }

  /** Tells that its first attempt starts. */
  started(execution: Execution): void {
    if (!this.#active) return;
    const { run, call, attempt, startedAt, discarded } = execution;
    const event: WrittenEvent = {
      type: "tool.started",
      seq: ++this.#seq,
      time: startedAt,
      runId: run.id,
      callId: call.id,
      tool: call.name,
      attempt,
    };
    if (discarded !== undefined) event["discarded"] = discarded;
    this.#tell(placed(event, execution));
  }

  /** Tells that it has come to its end. */
  completed(execution: Execution, { durationMs, isError, timestamp }: ToolResult): void {
    if (!this.#active) return;
    const { run, call, attempt, warnings } = execution;
    const event: WrittenEvent = {
      type: "tool.completed",
      seq: ++this.#seq,
      time: timestamp,
      runId: run.id,
      callId: call.id,
      tool: call.name,
      attempt,
      durationMs,
      isError,
    };
    if (warnings !== undefined) event["warnings"] = warnings;
    this.#tell(placed(event, execution));
  }

  /** Tells that it may start, and why. */
  authorized(execution: Execution, { decision, reason, rule, by, grantId }: Decided): void {
    if (!this.#active) return;
    const { run, call } = execution;
    const event: WrittenEvent = {
      type: "tool.authorized",
      seq: ++this.#seq,
      time: this.#clock.now(),
      runId: run.id,
      callId: call.id,
      tool: call.name,
      decision: decision === "allowed" ? "allow" : decision,
      reason,
      rule,
    };
    if (by !== undefined) event["by"] = by;
    if (grantId !== undefined) event["grantId"] = grantId;
    this.#tell(placed(event, execution));
  }

  #begun(execution: Execution, type: string, time: number): WrittenEvent {
    const { run, call } = execution;
    const event: WrittenEvent = {
      type,
      seq: ++this.#seq,
      time,
      runId: run.id,
      callId: call.id,
      tool: call.name,
    };
    return placed(event, execution);
  }

  /** Tells something that belongs to no call. */
  emit(fields: EventFields): void {
    if (!this.#active) return;
    const { type, ...more } = fields;
    this.#tell({ type, seq: ++this.#seq, time: this.#clock.now(), ...more });
  }

  #tell(written: WrittenEvent): void {
    const event = written as unknown as ToolEvent;
    for (const listener of this.#listeners) {
      try {
        const answer: unknown = listener(event);
        if (isThenable(answer)) answer.then(undefined, () => {});
      } catch {
        // An observer that throws changes nothing.
      }
    }
  }
}

type WrittenEvent = Record<string, unknown>;

/** The event with where the call belongs. */
function placed(event: WrittenEvent, { parent, run }: Execution): WrittenEvent {
  if (parent !== undefined) event["parentCallId"] = parent.call.id;
  if (run.turn !== 0) event["turnId"] = run.turnId;
  return event;
}
