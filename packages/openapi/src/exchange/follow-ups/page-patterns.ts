import type { JsonObject, JsonValue } from "@toolweave/core";
import { isPageValue, type PageArguments } from "./page-arguments.ts";
import { isJsonObject } from "../../document/record.ts";

/** What a body says of its next page: an address, or a value and the arguments that may take it. */
export type DeclaredNext =
  | { readonly url: string }
  | { readonly names: readonly string[]; readonly value: string | number };

/** Members that hold what is said of pages, beside the top. */
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

/** What stands in an answer, and the arguments that take it, in order of likelihood. */
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

/** What a JSON answer says of the page after it. */
export function bodyNext(
  value: JsonValue | undefined,
  args: JsonObject,
  page: PageArguments,
): DeclaredNext | undefined {
  if (!isJsonObject(value)) return undefined;
  const places = findPlaces(value);
  const flag = findFirst(places, moreFlags, (one) => typeof one === "boolean");
  if (flag === false) return undefined;
  return (
    address(places) ??
    cursor(places, flag === true) ??
    (flag === true ? afterLast(value, places) : undefined) ??
    pageAfter(places, args, page) ??
    offsetAfter(value, places, args, page)
  );
}

/** The list that an answer is about, and the member that holds it; empty: the answer itself is the list. */
export function listIn(
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

/** The top, what it holds of pages, and what that holds. */
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

function address(places: readonly JsonObject[]): DeclaredNext | undefined {
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

function cursor(places: readonly JsonObject[], hasMore: boolean): DeclaredNext | undefined {
  for (const place of places) {
    for (const [field, names] of cursors) {
      // Where the last item's cursor stands on every page, only the flag tells that there is another.
      if (field.startsWith("end") && !hasMore) continue;
      const value = getMember(place, field);
      // At the top it is more often something else's name.
      if (field === "after" && place === places[0]) continue;
      if (isPageValue(value)) return { names, value };
    }
  }
  return undefined;
}

/** `has_more`, and the next page begins behind the last item. */
function afterLast(value: JsonObject, places: readonly JsonObject[]): DeclaredNext | undefined {
  const said = findFirst(places, lastIds, isPageValue);
  if (isPageValue(said)) return { names: ["after", "after_id", "starting_after"], value: said };
  const last = listIn(value)?.items.at(-1);
  const id = isJsonObject(last) ? getMember(last, "id") : undefined;
  return isPageValue(id) ? { names: ["starting_after"], value: id } : undefined;
}

function pageAfter(
  places: readonly JsonObject[],
  args: JsonObject,
  page: PageArguments,
): DeclaredNext | undefined {
  const total = findFirst(places, totalPages, isCount);
  const name = pageNames.find((one) => page.all.has(one));
  if (typeof total !== "number" || name === undefined) return undefined;
  // Counted from 0 where it is called so.
  const zeroBased = findFirst(places, ["number"], isCount);
  const sent = args[page.all.get(name)?.argument ?? name];
  const current = findFirst(places, pageNames, isCount) ?? (isCount(sent) ? sent : undefined);
  if (typeof current === "number") {
    return current < total ? { names: [name], value: current + 1 } : undefined;
  }
  if (typeof zeroBased !== "number") return undefined;
  return zeroBased + 1 < total ? { names: [name], value: zeroBased + 1 } : undefined;
}

function offsetAfter(
  value: JsonObject,
  places: readonly JsonObject[],
  args: JsonObject,
  page: PageArguments,
): DeclaredNext | undefined {
  const total = findFirst(places, totals, isCount);
  const name = offsetNames.find((one) => page.all.has(one));
  const count = listIn(value)?.items.length ?? 0;
  if (typeof total !== "number" || name === undefined || count === 0) return undefined;
  const sent = args[page.all.get(name)?.argument ?? name];
  const said = findFirst(places, [name], isCount);
  const offset = isCount(said) ? said : (sent ?? 0);
  // Some count from 1: what comes next is behind what has come.
  if (!isCount(offset) || offset + count >= total) return undefined;
  return { names: [name], value: offset + count };
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
