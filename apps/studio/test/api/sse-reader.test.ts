import fc from "fast-check";
import { expect, test } from "vitest";
import { SseReader, type SseMessage } from "../../src/api/sse-reader.ts";

/** Reads a stream that comes in pieces of the given lengths. */
function read(stream: string, lengths: readonly number[]): readonly SseMessage[] {
  const reader = new SseReader();
  const messages: SseMessage[] = [];
  let start = 0;
  for (const length of [...lengths, stream.length]) {
    messages.push(...reader.push(stream.slice(start, start + length)));
    start += length;
  }
  return messages;
}

test("messages have the last id; comments and unknown fields are ignored", () => {
  const stream =
    ": hello\n\nid: live:1\ndata: a\n\nevent: x\nretry: 5\ndata: b\ndata: c\n\n:\n\ndata:d\n\n";
  expect(read(stream, [])).toEqual([
    { id: "live:1", data: "a" },
    { id: "live:1", data: "b\nc" },
    { id: "live:1", data: "d" },
  ]);
});

test.each(["\n", "\r\n", "\r"])("line ends of the kind %j are read", (end) => {
  const stream = ["id: 1", "data: a", "", "data: b", "", ""].join(end);
  expect(read(`${stream}:${end}`, []).map(({ data }) => data)).toEqual(["a", "b"]);
});

test("the pieces in which a stream comes make no difference", () => {
  const stream = "id: 1\r\ndata: a\r\n\r\n: c\r\nid: 2\r\ndata: b\r\ndata: b2\r\n\r\n";
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 9 })), (lengths) => {
      expect(read(stream, lengths)).toEqual(read(stream, []));
    }),
  );
});

test("a message that has not ended is not delivered", () => {
  expect(read("data: a\n", [])).toEqual([]);
});
