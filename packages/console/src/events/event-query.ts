import type { QueuedEvent } from "@toolweave/core";
import { Problem } from "../http/problem.ts";

/** The request of a reader of events. */
export interface EventQuery {
  /** The last event that the reader has; absent: it has none. */
  readonly after: EventCursor | undefined;
  /** False: the response ends with the last event that is stored. */
  readonly follow: boolean;
  /** True for the events that the reader wants. */
  readonly matches: (event: QueuedEvent) => boolean;
}

/** The place of an event: in which stream, and its number there. */
interface EventCursor {
  readonly stream: string;
  readonly seq: number;
}

/** @throws Problem for an invalid parameter. */
export function readEventQuery(query: URLSearchParams): EventQuery {
  const follow = query.get("follow") ?? "true";
  if (follow !== "true" && follow !== "false") {
    throw new Problem("invalid_query", "follow must be true or false.");
  }
  const [run, tool, type] = [query.getAll("run"), query.getAll("tool"), query.getAll("type")];
  return {
    after: readCursor(query.get("after")),
    follow: follow === "true",
    matches: (event) => {
      // Without it the reader would not know that events are missing.
      if (event.type === "events.dropped") return true;
      if (type.length > 0 && !type.includes(event.type)) return false;
      if (event.type === "registry.changed") return run.length === 0 && tool.length === 0;
      return isIn(run, event.runId) && isIn(tool, event.tool);
    },
  };
}

function isIn(wanted: readonly string[], value: string): boolean {
  return wanted.length === 0 || wanted.includes(value);
}

function readCursor(text: string | null): EventCursor | undefined {
  if (text === null) return undefined;
  const [, stream = "", digits = ""] = /^([\w-]{1,100}):(\d{1,15})$/.exec(text) ?? [];
  if (stream !== "") return { stream, seq: Number(digits) };
  throw new Problem("invalid_query", "after must be the id of an event.");
}
