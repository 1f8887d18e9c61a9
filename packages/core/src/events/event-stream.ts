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
    this.emit({
      ...fields,
      runId: run.id,
      ...(parent === undefined ? {} : { parentCallId: parent.call.id }),
      ...(turnId === undefined ? {} : { turnId }),
      callId: call.id,
      tool: call.name,
    });
  }

  emit(fields: EventFields): void {
    if (!this.active) return;
    const event = { seq: ++this.#seq, time: this.#clock.now(), ...fields } as unknown as ToolEvent;
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
