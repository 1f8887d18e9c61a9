import { describe, expect, test } from "vitest";
import { SseParser, type SseEvent, type SseOptions } from "../../src/message/sse-parser.ts";

function parse(
  chunks: readonly (string | Uint8Array)[],
  options: Partial<SseOptions> = {},
): { readonly parser: SseParser; readonly events: SseEvent[] } {
  const events: SseEvent[] = [];
  const parser = new SseParser({ onEvent: (event) => events.push(event), ...options });
  for (const chunk of chunks) parser.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return { parser, events };
}

const data = (...chunks: readonly (string | Uint8Array)[]): string[] =>
  parse(chunks).events.map((event) => event.data);

describe("an event", () => {
  test.each(["\n", "\r", "\r\n"])("ends at once if its lines end with %j", (end) => {
    expect(data(`data: a${end}data: b${end}${end}`)).toEqual(["a\nb"]);
    expect(data(...`data: a${end}${end}${end}data${end}${end}data:b${end}${end}`)).toEqual([
      "a",
      "",
      "b",
    ]);
  });

  test("may be split within a character, and begin with a byte order mark", () => {
    const bytes = Buffer.from("\uFEFFdata: é😀\n\n");
    expect(data(...Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(["é😀"]);
  });

  test("keeps the empty lines of its data", () => {
    expect(data("data: a\ndata\n\n", "data:\ndata:\n\n", "data:\n\n")).toEqual(["a\n", "\n", ""]);
  });

  test("has its own type and reconnection time, and the last id", () => {
    expect(parse(["event: add\nid: 1\nretry: 5\ndata: a\n\ndata: b\n\n"]).events).toEqual([
      { type: "add", id: "1", retryMs: 5, data: "a" },
      { type: "message", id: "1", retryMs: undefined, data: "b" },
    ]);
  });
});

describe("the last id", () => {
  const lastId = (...chunks: readonly string[]): string | undefined => parse(chunks).parser.lastId;

  test("is also that of an event without data", () => {
    expect(lastId("id: 1\n\n", "id: 2\n", "\n")).toBe("2");
  });

  test("is not that of an event that was cut off, which would not be sent again", () => {
    expect(lastId("id: 1\ndata: a\n\nid: 2\ndata: b\n")).toBe("1");
  });

  test("is removed by an empty one, and stays if one is not valid", () => {
    const isValidId = (id: string): boolean => id.length < 3;
    const { parser } = parse(["id: 1\n\n", "id: 234\n\n"], { isValidId });
    expect(parser.lastId).toBe("1");
    expect(lastId("id: 1\n\nid\n\n")).toBe("");
    expect(lastId("id: 1\n\nid: a\0b\n\n")).toBe("1");
  });
});

test("a reconnection time that overflows a timer is ignored", () => {
  expect(parse(["retry: 7\nretry: 99999999999\nretry: 1e3\n\n"]).parser.retryMs).toBe(7);
});

test.each([
  ["an event of many lines", "data: 123456\n"],
  ["a line without an end", "data: 123456"],
  ["a comment without an end", ": 1234567890"],
])("%s that exceeds the maximum size is an error, and nothing more is read", (_, part) => {
  const maxSize = 1024 ** 2;
  const { parser, events } = parse([], { maxSize });
  const chunk = Buffer.from(part.repeat(50_000));
  expect(() => {
    for (let count = 0; count < 5; count++) parser.push(chunk);
  }).toThrow("The server sent an event of more than 1 MiB.");
  expect(parser.isFull).toBe(true);
  expect(() => parser.push(Buffer.from("\n\ndata: a\n\n"))).toThrow("more than 1 MiB");
  expect(events).toEqual([]);
});

test("the text of each chunk is emitted before its events", () => {
  const seen: string[] = [];
  parse(["data: a\n\n", "data", ": b\n\n"], {
    onEvent: (event) => seen.push(event.data),
    onText: (text) => seen.push(text),
  });
  expect(seen).toEqual(["data: a\n\n", "a", "data", ": b\n\n", "b"]);
});
