import { ToolError, type JsonObject } from "@toolweave/core";
import { isObject, visibleText } from "@toolweave/core/adapter";
import { takeBeginning } from "../transport/stdio/line-reader.ts";

/** More pages than any real list has: a server may return pages without end. */
const maxPages = 1_000;

/** Characters of a server's message that a fault repeats at most. */
const maxMessageLength = 300;

/** A list of a server. */
export interface PagedList {
  /** Member of the results that has the entries. */
  readonly member: string;
  /** Cursor of the first page. Default: the beginning. */
  readonly from?: string | undefined;
  /** Requests a page. */
  request(params: JsonObject): Promise<unknown>;
  /** Receives the entries of a page. False: no more pages are wanted. */
  onPage(entries: readonly unknown[]): boolean;
  /** True if an error of a later page fails the list: it can be requested again. */
  isFatal(error: unknown): boolean;
}

/** How a list has ended. */
export interface PagesEnd {
  readonly pages: number;
  /** Cursor of the next page, if there is one that was not requested. */
  readonly nextCursor?: string;
  /** Reason why the list is incomplete, although more was wanted: a clause about its pages. */
  readonly fault?: string;
}

/**
 * Requests the pages of a list (2025-11-25, Pagination). If a later page fails, the pages before it stay.
 *
 * @throws errors of `request` for the first page, and those that are fatal.
 */
export async function readPages(list: PagedList): Promise<PagesEnd> {
  const cursors = new Set<unknown>();
  let cursor: string | number | undefined = list.from;
  let previous: readonly unknown[] = [];
  for (let pages = 1; ; pages++) {
    cursors.add(cursor);
    let answer: unknown;
    try {
      answer = await list.request(cursor === undefined ? {} : ({ cursor } as JsonObject));
    } catch (error) {
      if (pages === 1 || list.isFatal(error)) throw error;
      return { pages: pages - 1, fault: `page ${pages} could not be read: ${toReason(error)}` };
    }
    const { [list.member]: page, nextCursor } = isObject(answer) ? answer : {};
    const entries: readonly unknown[] = Array.isArray(page) ? page : [];
    if (pages > 1 && isSamePage(entries, previous))
      return { pages: pages - 1, fault: `page ${pages} repeats the one before it` };
    previous = entries;
    const isMoreWanted = list.onPage(entries);
    if (nextCursor === undefined || nextCursor === null) return { pages };
    // Some servers count their pages with numbers.
    if (typeof nextCursor !== "string" && typeof nextCursor !== "number")
      return { pages, fault: `the nextCursor of page ${pages} is not a string` };
    if (cursors.has(nextCursor))
      return { pages, fault: `the nextCursor of page ${pages} is that of an earlier page` };
    if (!isMoreWanted || pages === maxPages) return { pages, nextCursor: String(nextCursor) };
    cursor = nextCursor;
  }
}

/** True if the entries have the same names: some servers return the first page for a cursor that they do not know. */
function isSamePage(one: readonly unknown[], other: readonly unknown[]): boolean {
  return (
    one.length > 0 &&
    one.length === other.length &&
    one.every(
      (entry, index) => getName(entry) !== undefined && getName(entry) === getName(other[index]),
    )
  );
}

function getName(entry: unknown): unknown {
  if (!isObject(entry)) return undefined;
  const { uri, uriTemplate, name } = entry;
  return uri ?? uriTemplate ?? name;
}

function toReason(error: unknown): string {
  if (ToolError.is(error) && error.code === "cancelled") return "the server did not answer in time";
  return takeBeginning(visibleText((error as Error).message), maxMessageLength).replace(/\.$/, "");
}
