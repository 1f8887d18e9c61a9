import { isThenable } from "../spec/json.ts";
import type { Clock } from "../executor/clock.ts";
import type { Execution } from "../executor/execution.ts";
import type { EventFields, ToolEvent, ToolEventListener } from "./tool-event.ts";

/** Hands events to whoever listens; costs nothing while nobody does. */
export class EventStream {
  readonly #clock: Clock;
  readonly #listeners = new Set<ToolEventListener>();
  #seq = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True when somebody listens; ask before building an event. */
  get active(): boolean {
    return this.#listeners.size > 0;
  }

  listen(listener: ToolEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells something about a call. */
  emitCall(execution: Execution, fields: EventFields): void {
    if (!this.active) return;
    const { run, call, parent } = execution;
    const turnId = run.turnId;
    // One literal, without spreads: they would be most of what an event costs.
    const event: Record<string, unknown> = {
      type: fields.type,
      seq: ++this.#seq,
      time: this.#clock.now(),
      runId: run.id,
      callId: call.id,
      tool: call.name,
    };
    if (parent !== undefined) event["parentCallId"] = parent.call.id;
    if (turnId !== undefined) event["turnId"] = turnId;
    for (const name in fields) event[name] = fields[name];
    this.#tell(event as unknown as ToolEvent);
  }

  /** Tells something that belongs to no call. */
  emit(fields: EventFields): void {
    if (!this.active) return;
    const { type, ...more } = fields;
    const event = { type, seq: ++this.#seq, time: this.#clock.now(), ...more };
    this.#tell(event as unknown as ToolEvent);
  }

  #tell(event: ToolEvent): void {
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
