import { expect, it } from "vitest";
import { LineReader } from "../src/line-reader.ts";

it("lines come whole however the bytes are cut", () => {
  const lines: string[] = [];
  const reader = new LineReader((line) => void lines.push(line));
  for (const byte of Buffer.from('{"a":"Jürgen 🙂"}\n\n{"b":1}\r\nrest')) {
    reader.read(Buffer.of(byte));
  }
  expect(lines).toEqual(['{"a":"Jürgen 🙂"}', '{"b":1}\r']);
});

it("a line of more than 64 MiB is refused", () => {
  const reader = new LineReader(() => {});
  const chunk = Buffer.alloc(32 * 1024 * 1024, "a");
  expect([reader.read(chunk), reader.read(chunk), reader.read(chunk)]).toEqual([true, true, false]);
});
