import type { JsonObject } from "@toolweave/core";
import { errorCode, McpError } from "./request-port.ts";

/** Entries of one page. Many clients read only the first one. */
const pageSize = 500;

/** One page of a list. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** Cursor of the next page; absent: this is the last. */
  readonly nextCursor?: string;
}

/**
 * Returns a page of a list. A cursor names the last entry of the previous page, so that no remaining entry is skipped
 * if the list changes in between.
 *
 * @param getKey Returns the unique key of an entry.
 * @throws McpError `-32602` for an invalid cursor.
 */
export function toPage<Entry>(
  list: readonly Entry[],
  getKey: (entry: Entry) => string,
  { cursor }: JsonObject,
): Page<Entry> {
  const after = cursor === undefined || cursor === null ? undefined : decodeCursor(cursor);
  const start = after === undefined ? 0 : findNextIndex(list, getKey, after);
  const entries = list.slice(start, start + pageSize);
  const last = entries.at(-1);
  if (last === undefined || start + entries.length >= list.length) return { entries };
  return { entries, nextCursor: btoa(encodeURIComponent(JSON.stringify(getKey(last)))) };
}

function findNextIndex<Entry>(
  list: readonly Entry[],
  getKey: (entry: Entry) => string,
  after: string,
): number {
  const index = list.findIndex((entry) => getKey(entry) === after);
  if (index !== -1) return index + 1;
  // It was removed: a sorted list continues with the next key.
  const next = list.findIndex((entry) => getKey(entry) > after);
  return next === -1 ? list.length : next;
}

function decodeCursor(cursor: unknown): string {
  try {
    const key: unknown = JSON.parse(decodeURIComponent(atob(cursor as string)));
    if (typeof key === "string") return key;
  } catch {
    // An invalid cursor.
  }
  throw new McpError(errorCode.invalidParams, "Invalid cursor");
}
