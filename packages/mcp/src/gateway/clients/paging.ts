import type { JsonObject } from "@toolweave/core";
import { errorCode, McpError } from "./request-port.ts";

/** Entries of one page. Many clients read the first page only. */
const pageSize = 500;

/** One page of a list. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** Where the next page begins; absent: this is the last. */
  readonly nextCursor?: string;
}

/**
 * A page of a list. A cursor names the entry that the page before ended with, so that a list which changes
 * meanwhile loses nothing that stayed.
 *
 * @param keyOf what no two entries have in common.
 * @throws McpError `-32602` for a cursor that is none of ours.
 */
export function toPage<Entry>(
  list: readonly Entry[],
  keyOf: (entry: Entry) => string,
  { cursor }: JsonObject,
): Page<Entry> {
  const after = cursor === undefined || cursor === null ? undefined : keyIn(cursor);
  const start = after === undefined ? 0 : firstAfter(list, keyOf, after);
  const entries = list.slice(start, start + pageSize);
  const last = entries.at(-1);
  if (last === undefined || start + entries.length >= list.length) return { entries };
  return { entries, nextCursor: btoa(encodeURIComponent(JSON.stringify(keyOf(last)))) };
}

function firstAfter<Entry>(
  list: readonly Entry[],
  keyOf: (entry: Entry) => string,
  after: string,
): number {
  const index = list.findIndex((entry) => keyOf(entry) === after);
  if (index !== -1) return index + 1;
  // It has gone meanwhile: in a list that is in order, what would have followed it goes on.
  const next = list.findIndex((entry) => keyOf(entry) > after);
  return next === -1 ? list.length : next;
}

function keyIn(cursor: unknown): string {
  try {
    const key: unknown = JSON.parse(decodeURIComponent(atob(cursor as string)));
    if (typeof key === "string") return key;
  } catch {
    // It is none of ours.
  }
  throw new McpError(errorCode.invalidParams, "Invalid cursor");
}
