import type { JsonValue } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { findNextLink } from "../../../src/exchange/follow-ups/next-page.ts";
import { body, details, media } from "../../support/operations.ts";
import { next, of, taking } from "../../support/page-arguments.ts";
import { cpuTimer } from "../../support/cpu-timer.ts";

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
    [
      "a URL among the links to pages (DigitalOcean)",
      ["page#"],
      { droplets: [], links: { pages: { next: "https://api.test/things?page=2" } }, meta: {} },
      { page: 2 },
    ],
    [
      "a token in the metadata (Kubernetes)",
      ["limit#", "continue"],
      { kind: "PodList", metadata: { continue: "ENCODED", remainingItemCount: 5 }, items: [] },
      { continue: "ENCODED" },
    ],
    [
      "the last list (Kubernetes)",
      ["continue"],
      { metadata: { continue: "" }, items: [] },
      undefined,
    ],
    ["the same name with another meaning", ["continue"], { continue: "yes" }, undefined],
    [
      "a list of links with relations (PayPal, MongoDB Atlas, OGC API, HATEOAS)",
      ["page#"],
      {
        items: [],
        links: [
          { rel: "self", href: "/things?page=1" },
          { rel: "next", href: "/things?page=2", method: "GET" },
        ],
      },
      { page: 2 },
    ],
    [
      "a list of links at another name (OpenStack)",
      ["marker"],
      { servers: [{ id: 1 }], servers_links: [{ href: "/things?marker=abc", rel: "next" }] },
      { marker: "abc" },
    ],
    [
      "a list of links with `relation` and `url` (FHIR)",
      ["page#"],
      { resourceType: "Bundle", link: [{ relation: "next", url: "/things?page=2" }] },
      { page: 2 },
    ],
    [
      "a link that is followed with another method (STAC)",
      ["page#"],
      { links: [{ rel: "next", href: "/things?page=2", method: "POST", body: {} }] },
      undefined,
    ],
    [
      "links without a next one",
      ["page#"],
      { links: [{ rel: "last", href: "/things?page=9" }] },
      undefined,
    ],
    [
      "a link that is a template (HAL)",
      ["page#"],
      { _links: { next: { href: "/things?page=2{&size}", templated: true } } },
      undefined,
    ],
    [
      "a token that is called an offset (Airtable)",
      ["offset"],
      { records: [], offset: "itr1/rec2" },
      { offset: "itr1/rec2" },
    ],
    ["the offset of this page", ["offset"], { records: [], offset: "20" }, undefined],
    ["the offset of this page as a number", ["offset#"], { records: [], offset: 20 }, undefined],
    [
      "a page object (Asana)",
      ["offset"],
      {
        data: [],
        next_page: { offset: "eyJ0", path: "/x", uri: "https://api.test/things?offset=eyJ0" },
      },
      { offset: "eyJ0" },
    ],
    ["a page object that is null (Asana)", ["offset"], { data: [], next_page: null }, undefined],
    [
      "the id after which pages begin (Intercom)",
      ["starting_after"],
      { data: [], pages: { type: "pages", next: { page: 2, starting_after: "a" } } },
      { starting_after: "a" },
    ],
    [
      "a cursor and links (Zendesk)",
      ["page[after]"],
      { meta: { has_more: true, after_cursor: "a" }, links: {} },
      { page_after: "a" },
    ],
    [
      "a cursor in the result info (Cloudflare)",
      ["page#"],
      { result: [], result_info: { page: 1, total_pages: 3 } },
      { page: 2 },
    ],
    [
      "a page and pages (Linode)",
      ["page#"],
      { data: [], page: 1, pages: 2, results: 150 },
      { page: 2 },
    ],
    [
      "a marker and a flag (AWS)",
      ["Marker"],
      { IsTruncated: true, NextMarker: "m" },
      { Marker: "m" },
    ],
    [
      "a marker without the flag (AWS)",
      ["Marker"],
      { IsTruncated: false, NextMarker: "m" },
      undefined,
    ],
    [
      "a marker of the same name (AWS)",
      ["Marker"],
      { Users: [], IsTruncated: true, Marker: "m" },
      { Marker: "m" },
    ],
    ["a lower-case token (AWS)", ["nextToken"], { jobs: [], nextToken: "t" }, { nextToken: "t" }],
    [
      "a continuation token (AWS)",
      ["continuation-token"],
      { IsTruncated: true, NextContinuationToken: "t" },
      { "continuation-token": "t" },
    ],
    [
      "a pagination token (AWS)",
      ["PaginationToken"],
      { Users: [], PaginationToken: "t" },
      { PaginationToken: "t" },
    ],
    [
      "the last table (AWS)",
      ["ExclusiveStartTableName"],
      { TableNames: ["a"], LastEvaluatedTableName: "a" },
      { ExclusiveStartTableName: "a" },
    ],
    [
      "an OData link of version 3",
      ["$skiptoken"],
      { "odata.nextLink": "/things?$skiptoken=x" },
      { skiptoken: "x" },
    ],
    [
      "an offset and a flag (PagerDuty)",
      ["offset#"],
      { items: [1, 2], offset: 4, more: true },
      { offset: 6 },
    ],
    [
      "an offset and a flag at the end",
      ["offset#"],
      { items: [1, 2], offset: 4, more: false },
      undefined,
    ],
    [
      "a position that may be counted from 1",
      ["start#"],
      { items: [1, 2], has_more: true },
      undefined,
    ],
    ["a page and a flag", ["page#"], { items: [1], page: 2, has_more: true }, { page: 3 }],
    [
      "a flag and ids, if pages are numbered",
      ["page#"],
      { data: [{ id: "a" }], page: 1, has_more: true },
      { page: 2 },
    ],
    [
      "the first cursor that an argument takes",
      ["page_token"],
      { next_cursor: "a", next_page_token: "b" },
      { page_token: "b" },
    ],
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

describe("the next page in a header", () => {
  test.each<[string, readonly string[], Record<string, string>, unknown]>([
    ["a page (GitLab)", ["page#"], { "x-next-page": "3" }, { page: 3 }],
    ["no further page (GitLab)", ["page#"], { "x-next-page": "" }, undefined],
    ["a page without an argument", ["cursor"], { "x-next-page": "3" }, undefined],
    ["a cursor", ["cursor"], { "x-next-cursor": "abc" }, { cursor: "abc" }],
    [
      "a token (Azure DevOps)",
      ["continuationToken"],
      { "x-ms-continuationtoken": "t" },
      { continuationToken: "t" },
    ],
    [
      "a redacted token",
      ["continuationToken"],
      { "x-ms-continuationtoken": "[redacted]" },
      undefined,
    ],
  ])("%s", (_what, names, headers, expected) => {
    expect(next(taking(...names), { headers, value: [{ id: 1 }], args: { page: 2 } })).toEqual(
      expected,
    );
  });
});

test("a hostile Link header is read in time that grows with its length", () => {
  for (const part of ["<", "<a>;", "<a>;rel=", '"', "\\", '<a>;a="\\', ",", ";rel = "]) {
    const spent = cpuTimer();
    findNextLink(part.repeat(40_000));
    expect(spent()).toBeLessThan(1_000);
  }
});
