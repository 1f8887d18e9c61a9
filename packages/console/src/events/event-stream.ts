import {
  ToolError,
  type Clock,
  type JsonValue,
  type QueuedEvent,
  type ToolExecutor,
} from "@toolweave/core";
import { stringifyExact } from "@toolweave/core/adapter";
import type { EventQuery } from "./event-query.ts";

/** Milliseconds without an event after which a comment is sent, so that proxies keep the connection. */
const heartbeatMs = 15_000;

/** The marker that no event is stored at the moment. */
const nothing = Symbol("nothing");

/**
 * Creates the body of a response: the events of an executor as server-sent events. It ends when the reader leaves, when
 * `ended` is aborted, and, if the reader does not follow, after the last stored event.
 *
 * @param stream the name of the executor's events in this process.
 * @param onEnd called once.
 */
export function createEventStream(
  executor: ToolExecutor,
  stream: string,
  { after, follow, matches }: EventQuery,
  ended: AbortSignal | undefined,
  onEnd: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const isOwn = after === undefined || after.stream === stream;
  const from = isOwn ? (after?.seq ?? (follow ? undefined : 0)) : otherStream;
  const { reader, isComplete } = openReader(executor, from);
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<QueuedEvent, undefined>> | undefined;
  let isOpen = true;
  const format = (event: QueuedEvent): Uint8Array<ArrayBuffer> =>
    encoder.encode(
      // A model can ask for a tool of any name, and a rule can have any id.
      `id: ${stream}:${event.seq}\ndata: ${stringifyExact({ stream, ...executor.redact(event) } as unknown as JsonValue)}\n\n`,
    );
  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    ended?.removeEventListener("abort", end);
    void reader.return?.();
    onEnd();
  };
  ended?.addEventListener("abort", end);
  if (ended?.aborted === true) end();

  return new ReadableStream(
    {
      start(controller) {
        if (isComplete) return;
        const missing = { type: "events.dropped", dropped: 0, replaced: 0, reset: true } as const;
        controller.enqueue(format({ ...missing, seq: 0, time: executor.clock.now() }));
      },
      async pull(controller) {
        for (;;) {
          next ??= reader.next();
          const result = follow
            ? await untilHeartbeat(next, executor.clock)
            : await Promise.race([next, nextTurn()]);
          if (result === nothing && follow) {
            return controller.enqueue(encoder.encode(": heartbeat\n\n"));
          }
          if (result === nothing || result.done === true) {
            end();
            return controller.close();
          }
          next = undefined;
          if (!matches(result.value)) continue;
          return controller.enqueue(format(result.value));
        }
      },
      cancel: end,
    },
    // Events are read when they are sent: of a reader that is too slow, the executor drops the oldest.
    { highWaterMark: 0 },
  );
}

/** A number that no executor has reached: the reader gets all that is stored, after a reset. */
const otherStream = Number.MAX_SAFE_INTEGER;

interface OpenedReader {
  readonly reader: AsyncIterableIterator<QueuedEvent, undefined>;
  /** False: the executor stores no events, so that the reader has missed an unknown number of them. */
  readonly isComplete: boolean;
}

function openReader(executor: ToolExecutor, after: number | undefined): OpenedReader {
  if (after === undefined) return { reader: executor.events(), isComplete: true };
  try {
    return { reader: executor.events({ after }), isComplete: true };
  } catch (error) {
    if (!ToolError.is(error) || error.code !== "invalid_configuration") throw error;
    return { reader: executor.events(), isComplete: false };
  }
}

async function untilHeartbeat<Result>(
  next: Promise<Result>,
  clock: Clock,
): Promise<Result | typeof nothing> {
  let timer;
  const heartbeat = new Promise<typeof nothing>((resolve) => {
    timer = clock.setTimeout(() => resolve(nothing), heartbeatMs);
    timer.unref?.();
  });
  try {
    return await Promise.race([next, heartbeat]);
  } finally {
    if (timer !== undefined) clock.clearTimeout(timer);
  }
}

function nextTurn(): Promise<typeof nothing> {
  return new Promise((resolve) => setImmediate(() => resolve(nothing)));
}
