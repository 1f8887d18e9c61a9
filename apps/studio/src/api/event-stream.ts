import type { EventView } from "@toolweave/console";
import { signal } from "@preact/signals";
import { send, withQuery } from "./client.ts";
import { EventQueue } from "./event-queue.ts";
import { ApiError } from "./problem.ts";
import { SseReader } from "./sse-reader.ts";

/** `live`: events come as they happen. `behind`: the connection is being made again. `stopped`: there is none. */
export type StreamState = "live" | "behind" | "stopped";

/** Receives the events of one frame. */
export type EventsListener = (events: readonly EventView[]) => void;

/** The state of the one event stream of this page. */
export const streamState = signal<StreamState>("stopped");

const listeners = new Set<EventsListener>();
const queue = new EventQueue((events) => {
  for (const listener of listeners) listener(events);
});
let running: AbortController | undefined;
let lastId: string | undefined;

/** Receives the events of the executor while the returned function has not been called. */
export function onEvents(listener: EventsListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reads the events of the executor until `stopEvents`; a lost connection is made again, after the last event. */
export function startEvents(): void {
  if (running !== undefined) return;
  running = new AbortController();
  void follow(running.signal);
}

/** Ends the connection. */
export function stopEvents(): void {
  running?.abort();
  running = undefined;
  streamState.value = "stopped";
}

/** The wait before a new connection, in milliseconds: from 0.5 to 30 seconds, each time twice as long. */
export function reconnectDelay(failures: number): number {
  return Math.min(30_000, 500 * 2 ** Math.min(failures, 10));
}

async function follow(stop: AbortSignal): Promise<void> {
  let failures = 0;
  while (!stop.aborted) {
    try {
      const response = await send(withQuery("/api/events", { after: lastId }), { signal: stop });
      streamState.value = "live";
      failures = 0;
      await readStream(response);
    } catch (error) {
      if (stop.aborted) return;
      if (error instanceof ApiError && [401, 403, 404].includes(error.status)) {
        stopEvents();
        return;
      }
      failures += 1;
    }
    if (stop.aborted) return;
    streamState.value = "behind";
    await wait(reconnectDelay(failures), stop);
  }
}

async function readStream(response: Response): Promise<void> {
  const reader = new SseReader();
  const body = response.body?.pipeThrough(new TextDecoderStream());
  if (body === undefined) return;
  const pieces = body.getReader();
  for (;;) {
    const { done, value } = await pieces.read();
    if (done) return;
    for (const { id, data } of reader.push(value)) {
      if (id !== "") lastId = id;
      const event = parseEvent(data);
      if (event !== undefined) queue.push(event);
    }
  }
}

/** An event that cannot be read must not end the stream. */
function parseEvent(data: string): EventView | undefined {
  try {
    const event: unknown = JSON.parse(data);
    return typeof event === "object" && event !== null ? (event as EventView) : undefined;
  } catch {
    return undefined;
  }
}

function wait(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
