import { Problem } from "./problem.ts";

/** Rows of a page if the request names no number. */
export const defaultLimit = 50;
export const maxLimit = 200;

/** The position of a row in a list that is ordered by time, then by id. */
export interface PagePosition {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly id: string;
}

/** A page of rows. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The cursor of the next page; absent: this is the last one. */
  readonly nextCursor?: string;
}

/**
 * Selects the page that a request asks for. A cursor names the last row of the page before, so that rows that were
 * removed or added meanwhile neither repeat nor hide others.
 *
 * @throws Problem for an invalid `limit` or `cursor`.
 */
export function getPage<Row>(
  query: URLSearchParams,
  rows: readonly Row[],
  getPosition: (row: Row) => PagePosition,
  order: "oldest first" | "newest first" = "oldest first",
): Page<Row> {
  const sign = order === "oldest first" ? 1 : -1;
  const limit = readLimit(query.get("limit"), maxLimit, defaultLimit);
  const after = readCursor(query.get("cursor"));
  const ordered = rows
    .map((row) => ({ row, position: getPosition(row) }))
    .sort((one, other) => sign * compare(one.position, other.position));
  const remaining =
    after === undefined
      ? ordered
      : ordered.filter(({ position }) => sign * compare(position, after) > 0);
  const page = remaining.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page.map(({ row }) => row),
    ...(last === undefined || remaining.length <= limit
      ? {}
      : { nextCursor: toCursor(last.position) }),
  };
}

function compare(one: PagePosition, other: PagePosition): number {
  if (one.time !== other.time) return one.time - other.time;
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}

function toCursor({ time, id }: PagePosition): string {
  return Buffer.from(JSON.stringify([time, id])).toString("base64url");
}

function readCursor(text: string | null): PagePosition | undefined {
  if (text === null) return undefined;
  try {
    const [time, id] = JSON.parse(Buffer.from(text, "base64url").toString()) as unknown[];
    if (typeof time === "number" && typeof id === "string") return { time, id };
  } catch {
    // Reported below.
  }
  throw new Problem("invalid_query", "cursor must be the nextCursor of an earlier page.");
}

/** @throws Problem for a `limit` that is no number from 1 to `max`. */
export function readLimit(text: string | null, max: number, byDefault: number): number {
  if (text === null) return byDefault;
  const limit = Number(text);
  if (/^\d{1,6}$/.test(text) && limit >= 1 && limit <= max) return limit;
  throw new Problem("invalid_query", `limit must be a whole number from 1 to ${max}.`);
}
