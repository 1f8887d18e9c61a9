import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventStreamParser } from "../../../src/exchange/streams/stream-response.ts";
import type { StreamItem } from "../../../src/exchange/streams/json-items.ts";

/** All events of a stream with these pieces of bytes. */
function events(...pieces: readonly Uint8Array[]): unknown[] {
  const parser = new EventStreamParser();
  const items: StreamItem[] = [];
  for (const piece of pieces) parser.push(piece, items);
  parser.end();
  return items.map(({ value }) => value);
}

const of = (text: string): unknown[] => events(Buffer.from(text));
const message = (data: string, more: object = {}): object => ({ data, event: "message", ...more });

describe("an event stream (WHATWG HTML, section 9.2.6)", () => {
  test.each<[string, string, unknown[]]>([
    [
      "joins the lines of its data",
      "data: YHOO\ndata: +2\ndata: 10\n\n",
      [message("YHOO\n+2\n10")],
    ],
    ["ends lines with LF", "data: a\n\ndata: b\n\n", [message("a"), message("b")]],
    ["ends lines with CR", "data: a\r\rdata: b\r\r", [message("a"), message("b")]],
    ["ends lines with CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", [message("a"), message("b")]],
    ["removes a byte order mark", "\uFEFFdata: a\n\n", [message("a")]],
    ["removes one space, and no more", "data:  a\n\ndata:b\n\n", [message(" a"), message("b")]],
    [
      "reads a field without a colon as empty",
      "data\n\ndata\ndata\n\n",
      [message(""), message("\n")],
    ],
    ["has no event without data", "event: a\n\nid: 7\n\ndata: b\n\n", [message("b", { id: "7" })]],
    ["ignores comments", ": ping\n\n:\ndata: a\n: more\n\n", [message("a")]],
    ["ignores unknown fields", "foo: bar\n data: no\ndata: a\n\n", [message("a")]],
    ["drops an incomplete event", "data: a\n\ndata: b\n", [message("a")]],
    [
      "accepts only digits for retry",
      "retry: 5\ndata: a\n\nretry: x\ndata: b\n\n",
      [message("a", { retry: 5 }), message("b")],
    ],
    ["accepts no id with a NUL", "id: 1\0\ndata: a\n\n", [message("a")]],
    [
      "accepts no id that is too long for each later event",
      `id: 1\n\nid: ${"x".repeat(1_001)}\ndata: a\n\n`,
      [message("a", { id: "1" })],
    ],
    ["treats [DONE] like any other", "data: [DONE]\n\n", [message("[DONE]")]],
  ])("%s", (_what, text, expected) => {
    expect(of(text)).toEqual(expected);
  });

  test("names the event for one only, and keeps the id until another follows", () => {
    expect(of("event: add\nid: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n")).toEqual([
      { data: "a", event: "add", id: "1" },
      message("b", { id: "1" }),
      message("c"),
    ]);
  });

  test("has the same result however it is split", () => {
    const line = fc.constantFrom("data: é😀", "data", ":c", "id: 1", "event: x", "retry: 9", "");
    const end = fc.constantFrom("\n", "\r", "\r\n");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(line, end), { maxLength: 12 }),
        fc.array(fc.nat(200), { maxLength: 6 }),
        (lines, cuts) => {
          const text = lines.map((parts) => parts.join("")).join("");
          const bytes = Buffer.from(`\uFEFF${text}`);
          const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort(
            (a, b) => a - b,
          );
          const pieces = [0, ...places].map((from, index) => bytes.subarray(from, places[index]));
          // A carriage return and a line feed that belong together may be split.
          expect(events(...pieces)).toEqual(events(bytes));
        },
      ),
      { seed: Number(process.env["TOOLWEAVE_SEED"] ?? 32), numRuns: 500 },
    );
  });
});
