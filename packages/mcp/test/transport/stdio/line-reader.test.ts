import { describe, expect, it } from "vitest";
import type { LineTruncator } from "../../../src/transport/messages/read-message.ts";
import { LineReader } from "../../../src/transport/stdio/line-reader.ts";

interface Heard {
  readonly lines: string[];
  readonly cut: LineTruncator[];
  readonly reader: LineReader;
}

function received(): Heard {
  const lines: string[] = [];
  const cut: LineTruncator[] = [];
  const reader = new LineReader({
    onLine: (line) => void lines.push(line),
    onTruncated: (line) => void cut.push(line),
  });
  return { lines, cut, reader };
}

/** The id in a line of 65 MiB, which begins and ends like this. */
function getId(begin: string, end: string): unknown {
  const { cut, reader } = received();
  reader.read(Buffer.from(begin));
  for (let count = 0; count < 65; count++) reader.read(Buffer.alloc(1024 * 1024, "a"));
  reader.read(Buffer.from(`${end}\n`));
  expect(cut).toHaveLength(1);
  return cut[0]?.answeredId;
}

describe("lines", () => {
  it("MF09: are complete however the bytes are split", () => {
    const { lines, reader } = received();
    for (const byte of Buffer.from('{"a":"Jürgen 🙂"}\n\n{"b":1}\r\nrest')) {
      reader.read(Buffer.of(byte));
    }
    expect(lines).toEqual(['{"a":"Jürgen 🙂"}', '{"b":1}\r']);
  });

  it("MF10: are emitted one by one if a chunk has several, with blank ones among them", () => {
    const { lines, reader } = received();
    reader.read(Buffer.from('{"a":1}\r\n\r\n \n{"b":1}\n{"c"'));
    reader.read(Buffer.from(":1}\n"));
    expect(lines).toEqual(['{"a":1}\r', '{"b":1}\r'.trim(), '{"c":1}']);
  });

  it("of more than 64 MiB are dropped, and the next is complete", () => {
    const { lines, cut, reader } = received();
    for (let count = 0; count < 65; count++) {
      expect(reader.read(Buffer.alloc(1024 * 1024, "a"))).toBe(true);
    }
    reader.read(Buffer.from("\n{}\n"));
    expect(lines).toEqual(["{}"]);
    expect(cut.map(({ length }) => length)).toEqual([65 * 1024 * 1024]);
  });

  it("that never end are rejected", () => {
    const { reader } = received();
    const chunk = Buffer.alloc(32 * 1024 * 1024, "a");
    expect(Array.from({ length: 9 }, () => reader.read(chunk)).indexOf(false)).toBe(8);
  });
});

describe("the id of a response that is too long", () => {
  it.each([
    ["is before it", '{"jsonrpc":"2.0","id":1007,"result":{"content":[{"text":"', '"}]}}', 1007],
    ["is after it", '{"result":{"content":[{"text":"', '"}]},"jsonrpc":"2.0","id":"x"}', "x"],
    ["stands nowhere", '{"jsonrpc":"2.0","result":{"text":"', '"}}', undefined],
    ["is not the id of a nested object", '{"result":{"text":"', '","id":7}}', undefined],
    ["is absent for a request", '{"id":7,"method":"x","params":{"text":"', '"}}', undefined],
  ])("%s", (_, begin, end, id) => {
    expect(getId(begin, end)).toBe(id);
  });
});
