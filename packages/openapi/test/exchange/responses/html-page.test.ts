import { describe, expect, test } from "vitest";
import { isHtml, extractMessage } from "../../../src/exchange/responses/html-page.ts";

const badGateway = { status: 502, statusText: "Bad Gateway" };
const said = (page: string): string | undefined => extractMessage(page, badGateway);

describe("the text of an HTML page", () => {
  test.each<[what: string, page: string, text: string | undefined]>([
    ["its title", "<html><head><title>\n Closed\n today </title></head><p>Sorry", "Closed today"],
    ["its first visible words", "<body><h1>Cannot <b>GET</b> /x</h1><p>More.", "Cannot GET /x"],
    ["text after its doctype", "<!doctype html>Moved.", "Moved."],
    [
      "the text after the status",
      "<title>502 Bad Gateway</title><h1>Error 502</h1><hr>nginx/1.27",
      "nginx/1.27",
    ],
    ["the first line", "<pre>Error: boom<br> &nbsp; at run (/srv/a.js:1:1)</pre>", "Error: boom"],
    [
      "no hidden text",
      "<!-- secret --><style>p{}</style><script>a('<p>b')</script ><svg><title>c</title></svg>Down",
      "Down",
    ],
    ["nothing of unclosed elements", "Gone<script>alert(1)", "Gone"],
    ["escaped characters", "<p>A&#66;&#x43; &lt;1&gt; &copy;&unknown;", "ABC <1> ©&unknown;"],
    ["no hidden characters", "<title>Do\u200Bwn&#8238;&#27;[31m</title>", "Down"],
    ["a lone <", "<p>1 < 2", "1 < 2"],
    ["nothing of an empty page", "<html><img src=x></html>", undefined],
    ["nothing but the status", "<h1>Error: Bad gateway</h1><p>Status code 502", undefined],
  ])("is %s", (_, page, text) => {
    expect(said(page)).toBe(text);
  });

  test("is short, in complete characters", () => {
    expect(said(`<p>x${"🙂".repeat(500)}`)).toBe(`x${"🙂".repeat(99)}…`);
  });

  test.each(["<script", "<!--", "<", "<a ", "&#1", "<p>"])(
    "is also searched in an endless page of %j",
    (part) => {
      expect(said(`<p>First</p>${part.repeat(2_000_000)}`)).toBe("First");
    },
  );
});

test.each<[string | undefined, string, boolean]>([
  ["text/html", "<h1>x</h1>", true],
  ["text/html", "1 < 2", false],
  ["application/xhtml+xml", "<p/>", true],
  [undefined, "\n<!DOCTYPE HTML>", true],
  ["text/plain", "<html lang=en>", true],
  ["application/xml", '<?xml version="1.0"?>\n<html/>', true],
  ["application/xml", "<error>x</error>", false],
  ["application/json", '"<html>"', false],
])("a body of %s that begins with %j is a page: %j", (mediaType, body, expected) => {
  expect(isHtml(mediaType, body)).toBe(expected);
});
