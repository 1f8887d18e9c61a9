import { describe, expect, test } from "vitest";
import {
  JsonLines,
  JsonSequence,
  type ItemParser,
  type StreamItem,
} from "../../../src/exchange/streams/json-items.ts";

function items(parser: ItemParser, ...texts: readonly string[]): unknown[] {
  const found: StreamItem[] = [];
  for (const text of texts) parser.push(Buffer.from(text), found);
  parser.end(found);
  return found.map(({ value }) => value);
}

describe("JSON lines", () => {
  test("are values of every kind, and empty lines are ignored", () => {
    expect(items(new JsonLines(), '{"a":1}\r\n\n"b"\n3\nnull\n[4]')).toEqual([
      { a: 1 },
      "b",
      3,
      null,
      [4],
    ]);
  });

  test("may be split anywhere", () => {
    expect(items(new JsonLines(), '{"a"', ":1", '}\n{"b":', "2}", "\n")).toEqual([
      { a: 1 },
      { b: 2 },
    ]);
  });

  test("with a broken item name the item, and the position", () => {
    expect(() => items(new JsonLines(), '{"a":1}\n{"b":x}\n')).toThrow(
      'Item 2 of the answer is not valid JSON (at position 5 (line 1, column 6)). It begins: {"b":x}',
    );
  });

  test("are broken if the last one is cut off", () => {
    expect(() => items(new JsonLines(), '{"a":1}\n{"b":')).toThrow(
      "Item 2 of the answer is not valid JSON (it ends too early, at position 5 (line 1, column 6)).",
    );
  });
});

describe("a JSON text sequence (RFC 7464)", () => {
  test("has values after record separators", () => {
    expect(items(new JsonSequence(), '\u001e{"a":\n1}\n\u001e', "\u001e2\n\u001e[3]")).toEqual([
      { a: 1 },
      2,
      [3],
    ]);
  });

  test.each(["\u001e12", "\u001e[]\n\u001etrue", '\u001e{"a":'])(
    "whose end was cut off (%j) is an error, since more may have followed (section 2.4)",
    (text) => {
      expect(() => items(new JsonSequence(), text)).toThrow(/^Item [12] of the answer /);
    },
  );

  test("continues after a malformed value, and reports it (section 2.3)", () => {
    const warnings: string[] = [];
    const sequence = new JsonSequence(undefined, (message) => warnings.push(message));
    const text = '\u001etrue\u001e[1]\n\u001e{"a":x}\n\u001e[2]\n\u001e{"b":\n';
    expect(items(sequence, text)).toEqual([[1], [2]]);
    expect(warnings).toEqual([
      "Item 1 of the answer was cut off, and was skipped. It begins: true",
      'Item 3 of the answer is not valid JSON (at position 5 (line 1, column 6)), and was skipped. It begins: {"a":x}',
      'Item 5 of the answer is not valid JSON (it ends too early, at position 5 (line 1, column 6)), and was skipped. It begins: {"b":',
    ]);
  });
});
