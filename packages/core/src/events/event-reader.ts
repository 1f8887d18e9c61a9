import { checkOptions } from "../contract/check-options.ts";
import { formatValue } from "../text/format-value.ts";
import { ToolError } from "../contract/tool-error.ts";
import { EventQueue } from "./event-queue.ts";
import type { EventStream } from "./event-stream.ts";
import type { EventsDroppedEvent, QueuedEvent, ToolEvent } from "./tool-event.ts";

/** How events are read. */
export interface EventsOptions {
  /**
   * The `seq` of the last event that the reader has had: what came after it comes first, as far as
   * the executor's `eventBacklog` goes back. Default: only what happens from now on.
   */
  readonly after?: number;
  /** How many events wait for the reader. Default: 1,000. */
  readonly maxQueued?: number;
}

const optionNames: readonly string[] = [
  "after",
  "maxQueued",
] satisfies readonly (keyof EventsOptions)[];

type Next = IteratorResult<QueuedEvent, undefined>;

const over: Next = { done: true, value: undefined };

/**
 * Reads an executor's events at its own pace. It listens from its making on, until it is left.
 *
 * Not an async generator: `return` has to end a `next` that waits.
 */
export class EventReader implements AsyncIterableIterator<QueuedEvent, undefined> {
  readonly #queue: EventQueue;
  readonly #asked: ((next: Next) => void)[] = [];
  readonly #stop: () => void;
  /** The last event that was read, or reported as missing. */
  #seq: number;
  /** The last that came to be queued. */
  #newest: Pick<ToolEvent, "seq" | "time">;
  /** It has read events of another executor, and the reset is not reported yet. */
  #reset = false;
  #over = false;

  /** @throws ToolError `invalid_configuration` for an invalid option. */
  constructor(events: EventStream, options: EventsOptions) {
    const { after, maxQueued } = checked(events, options);
    this.#queue = new EventQueue(maxQueued, true);
    this.#newest = events.lastEmitted;
    this.#seq = after ?? this.#newest.seq;
    if (after !== undefined) this.#replay(events, after);
    this.#stop = events.listen((event) => this.#take(event));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Next> {
    if (this.#over) return Promise.resolve(over);
    const event = this.#read();
    return event === undefined
      ? new Promise((answer) => this.#asked.push(answer))
      : Promise.resolve({ done: false, value: event });
  }

  /** Stops listening; a pending read ends without an event. */
  return(): Promise<Next> {
    this.#over = true;
    this.#stop();
    this.#queue.clear();
    for (const answer of this.#asked.splice(0)) answer(over);
    return Promise.resolve(over);
  }

  #replay(events: EventStream, after: number): void {
    this.#reset = after > events.lastEmitted.seq;
    if (this.#reset) this.#seq = 0;
    for (let node = events.backlog?.first; node !== undefined; node = node.next) {
      if (node.event.seq > this.#seq) this.#queue.push(node.event);
    }
  }

  #take(event: ToolEvent): void {
    // A reader that starts while the event is being emitted has it from the backlog.
    if (event.seq <= this.#newest.seq) return;
    this.#newest = event;
    this.#queue.push(event);
    while (this.#asked.length > 0) {
      const next = this.#read();
      if (next === undefined) return;
      this.#asked.shift()?.({ done: false, value: next });
    }
  }

  #read(): QueuedEvent | undefined {
    const { first } = this.#queue;
    if (first === undefined) {
      const { seq, time } = this.#newest;
      return seq > this.#seq ? this.#missing(seq, time) : undefined;
    }
    const { seq, time } = first.event;
    if (this.#reset || seq - 1 > this.#seq) return this.#missing(seq - 1, time);
    this.#seq = seq;
    return this.#queue.shift();
  }

  /** Reports the number of missing events up to `seq`. */
  #missing(seq: number, time: number): EventsDroppedEvent {
    const replaced = this.#queue.takeReplaced();
    const dropped = seq - this.#seq - replaced;
    const reset = this.#reset ? ({ reset: true } as const) : {};
    this.#reset = false;
    this.#seq = seq;
    return Object.freeze({ type: "events.dropped", seq, time, dropped, replaced, ...reset });
  }
}

function checked(
  { backlog }: EventStream,
  options: EventsOptions,
): { readonly after: number | undefined; readonly maxQueued: number } {
  const wrong = (what: string): ToolError =>
    new ToolError("invalid_configuration", `executor.events: ${what}`);
  checkOptions("executor.events", options, optionNames);
  const { after, maxQueued = 1000 } = options;
  if (!Number.isInteger(maxQueued) || maxQueued < 1) {
    throw wrong(`maxQueued is ${formatValue(maxQueued)}; use a whole number above 0.`);
  }
  if (after !== undefined && (!Number.isInteger(after) || after < 0)) {
    throw wrong(`after is ${formatValue(after)}; use the seq of an event.`);
  }
  if (after !== undefined && backlog === undefined) {
    throw wrong(
      "after needs events that are kept: new ToolExecutor({ eventBacklog: 1000, … }), or leave it out.",
    );
  }
  return { after, maxQueued };
}
