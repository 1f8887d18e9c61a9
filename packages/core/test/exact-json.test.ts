import { describe, expect, test } from "vitest";
import { parseExact, roundedIntegers, stringifyExact } from "../src/adapter.ts";

describe("an integer beyond 2^53", () => {
  const sent =
    '{"id":12345678901234567890,"in":[{"id":-9007199254740993}],"n":1e400,"half":0.1234567890123456789}';

  test("is a rounded number in the value, and has its digits in the text", () => {
    const value = parseExact(sent);
    expect(value).toEqual(JSON.parse(sent));
    expect(roundedIntegers(value)).toEqual(["12345678901234567890", "-9007199254740993"]);
    expect(stringifyExact(value)).toBe(
      '{"id":12345678901234567890,"in":[{"id":-9007199254740993}],"n":1e400,"half":0.1234567890123456789}',
    );
    const { in: inner } = value as { readonly in: readonly [object] };
    expect(stringifyExact(inner as never)).toBe('[{"id":-9007199254740993}]');
  });

  test("has the digits of its value, once that has changed", () => {
    const value = parseExact(sent) as { id: number };
    value.id = 7;
    expect(stringifyExact(value)).toContain('"id":7,');
  });

  test("that JavaScript prints exactly is not rounded", () => {
    for (const text of [
      '{"id":9007199254740992}',
      '{"id":12345678901234567000}',
      '{"id":"12345678901234567890"}',
    ]) {
      expect(roundedIntegers(parseExact(text))).toEqual([]);
    }
  });

  test("with more digits than a double can hold is found where it is, whatever the property's name is", () => {
    const digits = "9".repeat(100);
    const value = parseExact(`{"__proto__":{"id":${digits}},"constructor":1}`);
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
    expect(stringifyExact(value)).toBe(`{"__proto__":{"id":${digits}},"constructor":1}`);
  });

  test("in a text that nests deeper than the stack allows is read as before", () => {
    const depth = 200_000;
    const text = `${"[".repeat(depth)}12345678901234567890${"]".repeat(depth)}`;
    expect(parseExact(text)).toBeInstanceOf(Array);
  });

  test("does not keep a value that contains itself from being refused", () => {
    const value = parseExact('{"id":12345678901234567890}') as Record<string, unknown>;
    value["self"] = value;
    expect(() => stringifyExact(value as never)).toThrow(TypeError);
  });
});
