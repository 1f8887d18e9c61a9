import type { JsonObject, JsonValue } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { findNextLink, findNextPage } from "../../../src/exchange/follow-ups/next-page.ts";
import {
  findPageArguments,
  type PageArguments,
} from "../../../src/exchange/follow-ups/page-arguments.ts";
import { layoutArguments } from "../../../src/arguments/argument-layout.ts";
import { body, details, media, parameter, createSchema } from "../../support/operations.ts";
import { cpuTimer } from "../../support/cpu-timer.ts";

const none = { headers: new Set<string>(), cookies: [] };

/**
 * The arguments of an operation with these in the query: `name` is text, `name#` an integer,
 * `name!` required.
 */
function taking(...names: readonly string[]): PageArguments {
  const parameters = names.map((given) =>
    parameter({
      name: given.replace(/[#!]/g, ""),
      in: "query",
      required: given.includes("!"),
      schema: createSchema({ type: given.includes("#") ? "integer" : "string" }),
    }),
  );
  return of(details({ parameters }));
}

function of(given: ReturnType<typeof details>): PageArguments {
  const pages = findPageArguments(layoutArguments(given, "/things", "#", none));
  if (pages === undefined) throw new Error("nothing asks for another page");
  return pages;
}

function next(
  pages: PageArguments,
  given: { url?: string; link?: string; value?: JsonValue; args?: JsonObject },
): unknown {
  const { url = "https://api.test/things", link, value, args = {} } = given;
  const found = findNextPage({ url, link, value }, args, pages);
  return found === undefined || found.removed.length > 0 ? found : found.changed;
}

describe("the next page in a Link header (RFC 8288)", () => {
  const url = "https://api.test/things?q=a&page=2";

  test.each<[string, string, unknown]>([
    ["an argument that changes", '<https://api.test/things?q=a&page=3>; rel="next"', { page: 3 }],
    ["a relative address", "<?q=a&page=3>; rel=next", { page: 3 }],
    [
      "among others",
      '<?page=1>; rel="prev", <?q=a&page=3>; title="a, b"; rel="x NEXT", <?page=9>; rel=last',
      { page: 3 },
    ],
    [
      "another path for the same things",
      "</repositories/7/things?q=a&page=3>; rel=next",
      { page: 3 },
    ],
    [
      "an argument that is removed",
      "<?page=3>; rel=next",
      { changed: { page: 3 }, removed: ["q"] },
    ],
    ["another path that loses an argument", "</other?page=3>; rel=next", undefined],
    ["another origin", '<https://evil.test/things?q=a&page=3>; rel="next"', undefined],
    ["another scheme", "<http://api.test/things?q=a&page=3>; rel=next", undefined],
    ["a user name", "<https://x@api.test/things?q=a&page=3>; rel=next", undefined],
    ["a parameter that is not an argument", "<?q=a&page=3&sort=x>; rel=next", undefined],
    ["a value that the argument cannot have", "<?q=a&page=three>; rel=next", undefined],
    ["the same page", "<?q=a&page=2>; rel=next", undefined],
    ["the link with another relation", '<?q=a&page=3>; rel=next; anchor="/other"', undefined],
    ["nothing", '<?q=a&page=1>; rel="prev"', undefined],
    [
      "words of a title that look like a relation",
      '<?q=a&page=9>; title="p;rel=next"; rel="last"',
      undefined,
    ],
    [
      "a title that looks like parameters",
      '<?q=a&page=3>; title="a; rel=last; anchor=b, <?q=a&page=9>"; rel="next"',
      { page: 3 },
    ],
    [
      "a title with a quote",
      '<?q=a&page=3>; title="\\", <?q=a&page=9>; rel=up"; rel=next',
      { page: 3 },
    ],
    ["a page without results (Sentry)", '<?q=a&page=3>; rel="next"; results="false"', undefined],
    ["a credential that is not an argument", "<?q=a&page=3&key=[redacted]>; rel=next", { page: 3 }],
  ])("%s", (_what, link, expected) => {
    expect(next(taking("q", "page#"), { url, link, args: { q: "a", page: 2 } })).toEqual(expected);
  });
});

describe("the next page in a body", () => {
  test.each<[string, readonly string[], JsonValue, unknown]>([
    ["a cursor", ["cursor"], { data: [], next_cursor: "abc" }, { cursor: "abc" }],
    [
      "a cursor under the metadata (Slack)",
      ["cursor"],
      { response_metadata: { next_cursor: "a" } },
      { cursor: "a" },
    ],
    ["an empty cursor", ["cursor"], { response_metadata: { next_cursor: "" } }, undefined],
    ["no cursor", ["cursor"], { next_cursor: null }, undefined],
    ["a cursor without an argument", ["page"], { next_cursor: "abc" }, undefined],
    ["a page token (Google)", ["pageToken"], { items: [], nextPageToken: "t" }, { pageToken: "t" }],
    ["a token (AWS)", ["NextToken"], { NextToken: "t" }, { NextToken: "t" }],
    [
      "a URL (Django)",
      ["page#"],
      { count: 9, next: "https://api.test/things?page=2" },
      { page: 2 },
    ],
    ["a URL at another origin", ["page#"], { next: "https://evil.test/things?page=2" }, undefined],
    [
      "a link object (HAL)",
      ["page#"],
      { _links: { next: { href: "/things?page=2" } } },
      { page: 2 },
    ],
    [
      "a link (JSON:API)",
      ["page[number]"],
      { links: { next: "/things?page%5Bnumber%5D=2" } },
      { page_number: "2" },
    ],
    [
      "an OData link",
      ["$skiptoken"],
      { "@odata.nextLink": "/things?$skiptoken=x" },
      { skiptoken: "x" },
    ],
    [
      "has_more and the last id (Stripe)",
      ["starting_after"],
      { has_more: true, data: [{ id: "a" }, { id: "b" }] },
      { starting_after: "b" },
    ],
    [
      "has_more and last_id (OpenAI)",
      ["after"],
      { has_more: true, data: [{ id: "b" }], last_id: "b" },
      { after: "b" },
    ],
    ["nothing more", ["starting_after"], { has_more: false, data: [{ id: "b" }] }, undefined],
    [
      "no more pages, whatever else it contains",
      ["cursor"],
      { has_more: false, next_cursor: "x" },
      undefined,
    ],
    [
      "a page info (GraphQL style)",
      ["after"],
      { pageInfo: { hasNextPage: true, endCursor: "c" } },
      { after: "c" },
    ],
    ["the last page info", ["after"], { pageInfo: { endCursor: "c" } }, undefined],
    [
      "a cursor in paging (HubSpot)",
      ["after"],
      { paging: { next: { after: "7" } } },
      { after: "7" },
    ],
    ["a page and the number of pages", ["page#"], { page: 2, total_pages: 3 }, { page: 3 }],
    ["the last of its pages", ["page#"], { page: 3, total_pages: 3 }, undefined],
    [
      "a page counted from 0 (Spring)",
      ["page#"],
      { number: 0, totalPages: 2, content: [] },
      { page: 1 },
    ],
    [
      "the last page counted from 0",
      ["page#"],
      { number: 1, totalPages: 2, content: [] },
      undefined,
    ],
    [
      "pages under the metadata",
      ["page#"],
      { meta: { current_page: 1, last_page: 4 } },
      { page: 2 },
    ],
    ["an offset and a total", ["offset#", "limit#"], { total: 5, items: [1, 2] }, { offset: 2 }],
    ["the end of the total", ["offset#"], { total: 2, items: [1, 2] }, undefined],
    ["a number as the next page", ["page#"], { next_page: 2 }, { page: 2 }],
    ["text that is not a number for a number", ["page#"], { next_page: "two" }, undefined],
    ["a list", ["cursor"], [{ next_cursor: "x" }], undefined],
    ["a member of the prototype", ["cursor"], { meta: [] }, undefined],
  ])("%s", (_what, names, value, expected) => {
    expect(next(taking(...names), { value })).toEqual(expected);
  });

  test("is counted from the requested page", () => {
    const value = { total: 9, items: [1, 2] };
    expect(next(taking("offset#"), { value, args: { offset: 4 } })).toEqual({ offset: 6 });
    expect(next(taking("page#"), { value: { total_pages: 3 }, args: { page: 2 } })).toEqual({
      page: 3,
    });
  });

  test("is not the requested page itself", () => {
    const value = { next_cursor: "abc" };
    expect(next(taking("cursor"), { value, args: { cursor: "abc" } })).toBeUndefined();
  });

  test("is requested in a body if the cursor belongs there", () => {
    const schema = { type: "object", properties: { start_cursor: { type: "string" } } };
    const pages = of(details({ body: body([media("application/json", schema)]) }));
    expect(next(pages, { value: { next_cursor: "abc", has_more: true } })).toEqual({
      start_cursor: "abc",
    });
  });
});

test("a hostile Link header is read in time that grows with its length", () => {
  for (const part of ["<", "<a>;", "<a>;rel=", '"', "\\", '<a>;a="\\', ",", ";rel = "]) {
    const spent = cpuTimer();
    findNextLink(part.repeat(40_000));
    expect(spent()).toBeLessThan(1_000);
  }
});
