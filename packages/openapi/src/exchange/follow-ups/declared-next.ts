import type { JsonObject, JsonValue } from "@toolweave/core";
import { isPageValue, type PageArguments } from "./page-arguments.ts";
import { isJsonObject } from "../../document/record.ts";

/** The next page as a body declares it: a URL, or a value and the arguments that may take it. */
export type DeclaredNext =
  | { readonly url: string }
  | { readonly names: readonly string[]; readonly value: string | number };

/** Members that contain paging data, beside the root. */
const containers = [
  "meta",
  "metadata",
  "_metadata",
  "response_metadata",
  "pagination",
  "paging",
  "page_info",
  "pageInfo",
  "page",
  "pages",
  "result_info",
  "links",
  "_links",
  "cursors",
];

const addresses = [
  "next",
  "next_url",
  "nextUrl",
  "next_link",
  "nextLink",
  "@odata.nextLink",
  "odata.nextLink",
  "@nextLink",
  "next_page_url",
  "nextPageUrl",
  "next_page",
  "next_page_uri",
  "next_href",
  "nextRecordsUrl",
];

/** A member of an answer, the arguments that take its value in order of likelihood, and when it is a next page. */
type Cursor = readonly [
  member: string,
  args: readonly string[],
  when?: "flag" | "inside" | "token",
];

/**
 * `flag`: the cursor of the last item is on every page, so only a flag shows that there is another one. `inside`: at
 * the root, the name more often has another meaning. `token`: a number is the position of this page.
 */
const cursors: readonly Cursor[] = [
  [
    "next_cursor",
    ["cursor", "next_cursor", "start_cursor", "starting_after", "after", "page_cursor"],
  ],
  ["nextCursor", ["cursor", "nextCursor", "startCursor", "after", "pageCursor"]],
  ["nextPageToken", ["pageToken", "page_token", "nextPageToken"]],
  ["next_page_token", ["page_token", "pageToken", "next_page_token"]],
  ["NextPageToken", ["PageToken", "NextPageToken"]],
  ["nextToken", ["nextToken", "next_token"]],
  ["next_token", ["next_token", "nextToken", "pagination_token"]],
  ["NextToken", ["NextToken"]],
  ["PaginationToken", ["PaginationToken"]],
  ["NextContinuationToken", ["continuation-token", "ContinuationToken"]],
  ["NextMarker", ["Marker"]],
  ["nextMarker", ["marker"]],
  ["next_marker", ["marker"]],
  ["Marker", ["Marker"]],
  ["LastEvaluatedTableName", ["ExclusiveStartTableName"]],
  ["continuation_token", ["continuation_token"]],
  ["continuationToken", ["continuationToken"]],
  ["continue", ["continue"], "inside"],
  ["next_offset", ["offset"]],
  ["nextOffset", ["offset"]],
  ["offset", ["offset"], "token"],
  ["next_page", ["page", "next_page", "page_number", "page_token"]],
  ["nextPage", ["page", "nextPage", "pageNumber", "pageToken"]],
  ["next", ["cursor", "next"]],
  ["after", ["after"], "inside"],
  ["starting_after", ["starting_after"], "inside"],
  ["after_cursor", ["page[after]", "after", "after_cursor", "cursor"]],
  ["end_cursor", ["after", "cursor"], "flag"],
  ["endCursor", ["after", "cursor"], "flag"],
];

/** Headers that contain the next page, and the arguments that take their values. */
const headers: readonly Cursor[] = [
  ["x-next-page", ["page", "page_number", "pageNumber"]],
  ["x-next-cursor", ["cursor", "next_cursor"]],
  ["x-ms-continuationtoken", ["continuationToken", "continuation_token"]],
  ["x-continuation-token", ["continuationToken", "continuation_token"]],
];

const moreFlags = [
  "has_more",
  "hasMore",
  "has_next",
  "hasNext",
  "has_next_page",
  "hasNextPage",
  "more",
  "IsTruncated",
  "isTruncated",
  "is_truncated",
];
const lastIds = ["last_id", "lastId"];
const pageNames = ["page", "page_number", "pageNumber", "current_page", "currentPage"];
const totalPages = [
  "total_pages",
  "totalPages",
  "last_page",
  "lastPage",
  "page_count",
  "pageCount",
  "pages",
];
const offsetNames = ["offset", "skip", "start", "startAt", "start_at", "startIndex"];
const totals = [
  "total",
  "total_count",
  "totalCount",
  "total_items",
  "totalItems",
  "total_records",
  "totalResults",
  "total_results",
];

/** Names of lists of links: `links`, `_links`, `servers_links`. */
const linkList = /(?:^|_)links?$/;

/** Finds the next page in a JSON answer. */
export function findDeclaredNext(
  value: JsonValue | undefined,
  args: JsonObject,
  page: PageArguments,
): DeclaredNext | undefined {
  if (!isJsonObject(value)) return undefined;
  const places = findPlaces(value);
  const flag = findFirst(places, moreFlags, (one) => typeof one === "boolean");
  if (flag === false) return undefined;
  return (
    findUrl(places) ??
    findCursor(places, flag === true, page) ??
    (flag === true ? findAfterLast(value, places, page) : undefined) ??
    findPageNumber(places, flag === true, args, page) ??
    findOffset(value, places, flag === true, args, page)
  );
}

/** Returns the list of an answer, and the member that contains it; empty: the answer itself is the list. */
export function findList(
  value: JsonValue | undefined,
): { readonly member: string; readonly items: readonly JsonValue[] } | undefined {
  if (Array.isArray(value)) return { member: "", items: value as readonly JsonValue[] };
  if (!isJsonObject(value)) return undefined;
  for (const member of ["data", "items", "results", "records", "entries", "values", "value"]) {
    const items = Object.hasOwn(value, member) ? value[member] : undefined;
    if (Array.isArray(items)) return { member, items: items as readonly JsonValue[] };
  }
  const lists = Object.entries(value).filter(
    ([name, one]) => Array.isArray(one) && !linkList.test(name),
  );
  const [only] = lists;
  if (only === undefined || lists.length > 1) return undefined;
  return { member: only[0], items: only[1] as readonly JsonValue[] };
}

/** Returns the root, its containers of paging data, and the containers in those. */
function findPlaces(value: JsonObject): readonly JsonObject[] {
  const places = [value];
  for (const outer of [value, ...children(value)]) {
    for (const place of children(outer)) if (!places.includes(place)) places.push(place);
  }
  return places;
}

function children(value: JsonObject): JsonObject[] {
  return [...containers, "next"].map((name) => getMember(value, name)).filter(isJsonObject);
}

function getMember(value: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function findFirst(
  places: readonly JsonObject[],
  names: readonly string[],
  fits: (value: JsonValue | undefined) => boolean,
): JsonValue | undefined {
  for (const place of places) {
    for (const name of names) {
      const found = getMember(place, name);
      if (fits(found)) return found;
    }
  }
  return undefined;
}

function findUrl(places: readonly JsonObject[]): DeclaredNext | undefined {
  for (const place of places) {
    for (const name of addresses) {
      const url = toUrl(getMember(place, name));
      if (url !== undefined) return { url };
    }
    for (const [name, links] of Object.entries(place)) {
      if (!linkList.test(name) || !Array.isArray(links)) continue;
      const url = toUrl(links.find(isNextLink));
      if (url !== undefined) return { url };
    }
  }
  return undefined;
}

/** Returns true for a link that is read as the answer was, in a list of links with relations. */
function isNextLink(link: JsonValue): boolean {
  if (!isJsonObject(link)) return false;
  const relation = getMember(link, "rel") ?? getMember(link, "relation");
  if (typeof relation !== "string" || relation.toLowerCase() !== "next") return false;
  return /^get$/i.test(String(getMember(link, "method") ?? "GET"));
}

/** Returns the URL of a link, which is a text or an object. */
function toUrl(link: JsonValue | undefined): string | undefined {
  if (isJsonObject(link)) {
    if (getMember(link, "templated") === true) return undefined;
    const target = ["href", "link", "url", "uri"].map((name) => getMember(link, name));
    return toUrl(target.find((one) => typeof one === "string"));
  }
  return typeof link === "string" && /^(?:https?:\/\/|\/|\?)/.test(link) ? link : undefined;
}

function findCursor(
  places: readonly JsonObject[],
  hasMore: boolean,
  page: PageArguments,
): DeclaredNext | undefined {
  for (const place of places) {
    for (const [field, names, when] of cursors) {
      if (when === "flag" && !hasMore) continue;
      if (when === "inside" && place === places[0]) continue;
      const value = getMember(place, field);
      if (when === "token" && !/\D/.test(String(value ?? ""))) continue;
      if (isPageValue(value) && isTaken(names, page)) return { names, value };
    }
  }
  return undefined;
}

function isTaken(names: readonly string[], { all }: PageArguments): boolean {
  return names.some((name) => all.has(name));
}

/** Finds the next page in the headers of an answer. */
export function findNextInHeaders(
  header: (name: string) => string | undefined,
  page: PageArguments,
): DeclaredNext | undefined {
  for (const [name, names] of headers) {
    const value = header(name)?.trim();
    if (value === undefined || value === "" || value.includes("[redacted]")) continue;
    if (isTaken(names, page)) {
      return { names, value };
    }
  }
  return undefined;
}

/** Handles `has_more` without a cursor: the next page begins after the last item. */
function findAfterLast(
  value: JsonObject,
  places: readonly JsonObject[],
  page: PageArguments,
): DeclaredNext | undefined {
  const said = findFirst(places, lastIds, isPageValue);
  const names = ["after", "after_id", "starting_after"];
  if (isPageValue(said) && isTaken(names, page)) return { names, value: said };
  if (!page.all.has("starting_after")) return undefined;
  const last = findList(value)?.items.at(-1);
  const id = isJsonObject(last) ? getMember(last, "id") : undefined;
  return isPageValue(id) ? { names: ["starting_after"], value: id } : undefined;
}

function findPageNumber(
  places: readonly JsonObject[],
  hasMore: boolean,
  args: JsonObject,
  page: PageArguments,
): DeclaredNext | undefined {
  const total = hasMore ? Infinity : findFirst(places, totalPages, isCount);
  const name = pageNames.find((one) => page.all.has(one));
  if (typeof total !== "number" || name === undefined) return undefined;
  // A member called `number` counts from 0.
  const zeroBased = findFirst(places, ["number"], isCount);
  const sent = args[page.all.get(name)?.argument ?? name];
  const current = findFirst(places, pageNames, isCount) ?? (isCount(sent) ? sent : undefined);
  if (typeof current === "number") {
    return current < total ? { names: [name], value: current + 1 } : undefined;
  }
  if (typeof zeroBased !== "number") return undefined;
  return zeroBased + 1 < total ? { names: [name], value: zeroBased + 1 } : undefined;
}

function findOffset(
  value: JsonObject,
  places: readonly JsonObject[],
  hasMore: boolean,
  args: JsonObject,
  page: PageArguments,
): DeclaredNext | undefined {
  const total = hasMore ? Infinity : findFirst(places, totals, isCount);
  const name = offsetNames.find((one) => page.all.has(one));
  const count = findList(value)?.items.length ?? 0;
  if (typeof total !== "number" || name === undefined || count === 0) return undefined;
  const sent = args[page.all.get(name)?.argument ?? name];
  const said = findFirst(places, [name], isCount);
  const offset = isCount(said) ? said : (sent ?? 0);
  // Without a total, only the position of this page shows from which number the API counts.
  if (hasMore && !isCount(said) && !isCount(sent) && !/^(?:offset|skip)$/.test(name)) {
    return undefined;
  }
  // Some APIs count from 1; the next page begins after the received items.
  if (!isCount(offset) || offset + count >= total) return undefined;
  return { names: [name], value: offset + count };
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
