import type { ToolExecutor } from "@toolweave/core";
import type { ConsoleCaller } from "../authentication/console-caller.ts";
import { Problem } from "../http/problem.ts";
import type { ApiPart } from "../openapi/route.ts";
import { queryParameter, text } from "../openapi/schema-parts.ts";
import { readEventQuery } from "./event-query.ts";
import { createEventStream } from "./event-stream.ts";

/** Streams of one session, or of one caller's tokens. */
const maxStreamsOfSender = 16;
/** Streams of all senders. Each has a connection of its own. */
const maxStreams = 512;

/** An event as the API sends it. */
export type EventView = {
  /** The process and executor of the event. */
  readonly stream: string;
  /** Grows by one with each event of a stream. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly type: string;
  readonly runId?: string;
  readonly callId?: string;
  readonly parentCallId?: string;
  readonly tool?: string;
} & Readonly<Record<string, unknown>>;

const eventSchemas: Readonly<Record<string, object>> = {
  Event: {
    type: "object",
    description: "An event of the executor. Its other members depend on the type.",
    required: ["stream", "seq", "time", "type"],
    properties: {
      stream: text("The process and executor of the event."),
      seq: { type: "integer", description: "Grows by one with each event of a stream." },
      time: { type: "integer", description: "Milliseconds since the epoch." },
      type: text("Such as `tool.started`. `events.dropped` stands for events that are missing."),
      runId: { type: "string" },
      callId: { type: "string" },
      parentCallId: text("The call that made this one."),
      tool: { type: "string" },
    },
  },
};

const filter = (name: string, description: string): object => ({
  ...queryParameter(name, `${description} Repeated: any of them.`, {
    type: "array",
    items: { type: "string" },
  }),
  explode: true,
});

/** The operation that streams events. */
export function eventRoutes(executor: ToolExecutor): ApiPart {
  const stream = `live-${crypto.randomUUID().slice(0, 8)}`;
  const open = new Map<string, number>();
  let total = 0;

  const count = (key: string, change: 1 | -1): void => {
    total += change;
    const left = (open.get(key) ?? 0) + change;
    if (left === 0) open.delete(key);
    else open.set(key, left);
  };

  return {
    tag: "events",
    schemas: eventSchemas,
    routes: [
      {
        method: "GET",
        path: "/api/events",
        scope: "read",
        operation: {
          operationId: "readEvents",
          summary: "Follow the events of calls",
          description:
            "Server-sent events: `id` is the cursor, `data` an `Event` as JSON. A comment is sent after 15 seconds without an event. `events.dropped` takes the place of events that are missing; with `reset`, the cursor is of another process, and all stored events follow.",
          parameters: [
            queryParameter("after", "The id of the last event that was received.", {
              type: "string",
            }),
            queryParameter("follow", "False: the response ends with the last stored event.", {
              type: "boolean",
              default: true,
            }),
            filter("run", "Only events of this run."),
            filter("tool", "Only events of this tool."),
            filter("type", "Only events of this type."),
          ],
          responses: {
            200: {
              description: "Events. The data of each is an `Event`.",
              content: { "text/event-stream": { schema: { type: "string" } } },
            },
          },
        },
        handle: async ({ query, sender }) => {
          const asked = readEventQuery(query);
          const key = getKey(sender);
          if ((open.get(key) ?? 0) >= maxStreamsOfSender || total >= maxStreams) {
            const detail = "Too many streams of events are open: close one of them first.";
            throw new Problem("too_many_requests", detail, {}, { "retry-after": "5" });
          }
          count(key, 1);
          const onEnd = (): void => count(key, -1);
          const body = createEventStream(executor, stream, asked, sender.session?.ended, onEnd);
          return new Response(body, { headers: { "content-type": "text/event-stream" } });
        },
      },
    ],
  };
}

function getKey({ session, caller }: ConsoleCaller): string {
  return session?.id ?? JSON.stringify([caller.id, caller.agent]);
}
