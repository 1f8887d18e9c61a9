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
  "@nextLink",
  "next_page_url",
  "next_page",
  "next_page_uri",
  "next_href",
];

/** Members of an answer, and the arguments that take their values, in order of likelihood. */
const cursors: readonly (readonly [string, readonly string[]])[] = [
  [
    "next_cursor",
    ["cursor", "next_cursor", "start_cursor", "starting_after", "after", "page_cursor"],
  ],
  ["nextCursor", ["cursor", "nextCursor", "startCursor", "after", "pageCursor"]],
  ["nextPageToken", ["pageToken", "page_token", "nextPageToken"]],
  ["next_page_token", ["page_token", "pageToken", "next_page_token"]],
  ["nextToken", ["nextToken", "next_token"]],
  ["next_token", ["next_token", "nextToken", "pagination_token"]],
  ["NextToken", ["NextToken"]],
  ["continuation_token", ["continuation_token"]],
  ["continuationToken", ["continuationToken"]],
  ["next_offset", ["offset"]],
  ["nextOffset", ["offset"]],
  ["next_page", ["page", "next_page", "page_number", "page_token"]],
  ["nextPage", ["page", "nextPage", "pageNumber", "pageToken"]],
  ["next", ["cursor", "next"]],
  ["after", ["after"]],
  ["end_cursor", ["after", "cursor"]],
  ["endCursor", ["after", "cursor"]],
];

const moreFlags = ["has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage"];
const lastIds = ["last_id", "lastId"];
const pageNames = ["page", "page_number", "pageNumber", "current_page", "currentPage"];
const totalPages = [
  "total_pages",
  "totalPages",
  "last_page",
  "lastPage",
  "page_count",
  "pageCount",
];
const offsetNames = ["offset", "skip", "start", "startAt", "start_at", "startIndex"];
const totals = ["total", "total_count", "totalCount", "totalResults", "total_results"];

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
    findCursor(places, flag === true) ??
    (flag === true ? findAfterLast(value, places) : undefined) ??
    findPageNumber(places, args, page) ??
    findOffset(value, places, args, page)
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
  const lists = Object.entries(value).filter(([, one]) => Array.isArray(one));
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
      const found = getMember(place, name);
      const url = isJsonObject(found)
        ? (getMember(found, "href") ?? getMember(found, "link"))
        : found;
      if (typeof url === "string" && /^(?:https?:\/\/|\/|\?)/.test(url)) return { url };
    }
  }
  return undefined;
}

function findCursor(places: readonly JsonObject[], hasMore: boolean): DeclaredNext | undefined {
  for (const place of places) {
    for (const [field, names] of cursors) {
      // If the last item's cursor is on every page, only the flag shows that there is another one.
      if (field.startsWith("end") && !hasMore) continue;
      const value = getMember(place, field);
      // At the root, the name more often has another meaning.
      if (field === "after" && place === places[0]) continue;
      if (isPageValue(value)) return { names, value };
    }
  }
  return undefined;
}

/** Handles `has_more` without a cursor: the next page begins after the last item. */
function findAfterLast(value: JsonObject, places: readonly JsonObject[]): DeclaredNext | undefined {
  const said = findFirst(places, lastIds, isPageValue);
  if (isPageValue(said)) return { names: ["after", "after_id", "starting_after"], value: said };
  const last = findList(value)?.items.at(-1);
  const id = isJsonObject(last) ? getMember(last, "id") : undefined;
  return isPageValue(id) ? { names: ["starting_after"], value: id } : undefined;
}

function findPageNumber(
  places: readonly JsonObject[],
  args: JsonObject,
  page: PageArguments,
): DeclaredNext | undefined {
  const total = findFirst(places, totalPages, isCount);
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
  args: JsonObject,
  page: PageArguments,
): DeclaredNext | undefined {
  const total = findFirst(places, totals, isCount);
  const name = offsetNames.find((one) => page.all.has(one));
  const count = findList(value)?.items.length ?? 0;
  if (typeof total !== "number" || name === undefined || count === 0) return undefined;
  const sent = args[page.all.get(name)?.argument ?? name];
  const said = findFirst(places, [name], isCount);
  const offset = isCount(said) ? said : (sent ?? 0);
  // Some APIs count from 1; the next page begins after the received items.
  if (!isCount(offset) || offset + count >= total) return undefined;
  return { names: [name], value: offset + count };
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
