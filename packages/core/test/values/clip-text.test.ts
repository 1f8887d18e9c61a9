import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ellipsize, truncate, truncateUtf8, utf8Length } from "../../src/text/utf8.ts";
import { anyText } from "../support/any-text.ts";

const text = fc.string({
  unit: fc.constantFrom("a", "é", "日", "😀", "\ud83d", "\ude00", "\u0301"),
  maxLength: 30,
});
const bytes = (value: string): number => Buffer.byteLength(value, "utf8");

describe("utf8Length", () => {
  test("is the number of bytes of the text", () => {
    fc.assert(
      fc.property(fc.oneof(text, anyText(100)), (value) => {
        expect(utf8Length(value)).toBe(bytes(value));
      }),
    );
  });
});

describe("clipText", () => {
  test("returns the longest prefix that fits, and never half a character", () => {
    fc.assert(
      fc.property(text, fc.nat(60), (value, limit) => {
        const clipped = truncateUtf8(value, limit);
        expect(value.startsWith(clipped)).toBe(true);
        expect(bytes(clipped)).toBeLessThanOrEqual(limit);
        const next = String.fromCodePoint(value.codePointAt(clipped.length) ?? 0);
        expect(clipped === value || bytes(clipped + next) > limit).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("returns valid Unicode for valid Unicode", () => {
    fc.assert(
      fc.property(anyText(100), fc.nat(60), (value, limit) => {
        const clipped = truncateUtf8(value, limit);
        // Half a character would become U+FFFD.
        expect(Buffer.from(clipped, "utf8").toString("utf8")).toBe(clipped);
      }),
    );
  });
});

describe("truncate and ellipsize", () => {
  test("cut a text that is too long, and no character", () => {
    expect([truncate("🙂🙂", 3), ellipsize("🙂🙂", 3)]).toEqual(["🙂", "🙂…"]);
    expect([truncate("ab", 1), ellipsize("ab", 1)]).toEqual(["a", "a…"]);
  });

  test("leave a short text unchanged", () => {
    expect([truncate("🙂", 2), ellipsize("🙂", 2)]).toEqual(["🙂", "🙂"]);
  });
});
