import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "@toolweave/core";
import { previewJson, previewText } from "../../src/json/preview-json.ts";
import { anyText } from "../support/any-text.ts";

const bytes = (text: string): number => Buffer.byteLength(text, "utf8");
const isValid = (text: string): boolean => Buffer.from(text, "utf8").toString("utf8") === text;
const wellFormed = (text: string): string => Buffer.from(text, "utf8").toString("utf8");

/** Texts with halves of pairs, and some that are much longer than the others. */
const brokenText = fc.oneof(
  anyText(60),
  fc.string({
    unit: fc.constantFrom("a", " ", "\n", "é", "日", "😀", "\ud83d", "\ude00", "\u0001"),
  }),
  fc.nat(5000).map((length) => "x ".repeat(length)),
);
const anyJson = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    brokenText,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 30 }),
    fc.dictionary(brokenText, tie("value"), { maxKeys: 30 }),
  ) as fc.Arbitrary<JsonValue>,
})).value;

describe("previewText", () => {
  test("is valid Unicode, never over the limit, and the beginning of the text", () => {
    fc.assert(
      fc.property(brokenText, fc.nat(300), (text, limit) => {
        const preview = previewText(text, limit);
        expect(isValid(preview)).toBe(true);
        expect(bytes(preview)).toBeLessThanOrEqual(limit);
        expect(wellFormed(text).startsWith(preview)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("is the complete text if it fits, and most of the limit if it does not", () => {
    fc.assert(
      fc.property(brokenText, fc.integer({ min: 8, max: 300 }), (text, limit) => {
        const preview = previewText(text, limit);
        const isEnough =
          bytes(text) <= limit
            ? preview === wellFormed(text)
            : preview.length >= Math.floor((limit - 3) / 4);
        expect(isEnough).toBe(true);
      }),
    );
  });

  test("ends at a line break, otherwise at a word, otherwise anywhere", () => {
    expect(previewText("one two three\nfour five six", 20)).toBe("one two three\nfour ");
    expect(previewText("one two thr\nfour five six", 14)).toBe("one two thr\n");
    expect(previewText("one two three four", 16)).toBe("one two three ");
    expect(previewText("onetwothreefour", 10)).toBe("onetwothre");
    expect(previewText("a 日本語日本語", 11)).toBe("a 日本語");
  });

  test("reads no more than it returns", () => {
    const huge = Buffer.alloc(50_000_000, "x").toString("latin1");
    const measureCost = (text: string): number => {
      const start = process.threadCpuUsage();
      for (let times = 0; times < 100; times++) expect(previewText(text, 4000)).toHaveLength(4000);
      return process.threadCpuUsage(start).user;
    };
    const small = huge.slice(0, 5000);
    measureCost(small);
    // A text ten thousand times as long does not need ten times the work.
    expect(measureCost(huge)).toBeLessThan(10 * measureCost(small) + 100_000);
  });
});

describe("previewJson", () => {
  test("is valid Unicode and never over the limit", () => {
    fc.assert(
      fc.property(anyJson, fc.nat(2000), (value, limit) => {
        const preview = previewJson(value, limit);
        expect(bytes(preview)).toBeLessThanOrEqual(limit);
        expect(isValid(preview)).toBe(true);
        expect(previewJson(value, limit)).toBe(preview);
      }),
      { numRuns: 1000 },
    );
  });

  test("is JSON itself, and the complete value if that fits", () => {
    fc.assert(
      fc.property(anyJson, fc.integer({ min: 100, max: 5000 }), (value, limit) => {
        const json = JSON.stringify(value);
        const preview = previewJson(value, limit);
        expect(JSON.parse(preview)).toBeDefined();
        expect(bytes(json) <= limit ? json : preview).toBe(preview);
      }),
      { numRuns: 1000 },
    );
  });

  test("has the first rows of many, each complete, and the number of rows", () => {
    const rows = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `row ${id}` }));
    const preview = JSON.parse(previewJson(rows, 1000)) as unknown[];
    expect(preview.slice(0, 10)).toEqual(rows.slice(0, 10));
    expect(preview.at(-1)).toBe(`… ${(100_001 - preview.length).toLocaleString("en")} more items`);
    expect(preview.length).toBeGreaterThan(20);
  });

  test("has complete rows, whatever they end with", () => {
    const rows = Array.from({ length: 1000 }, (_, id) => ({ id, tags: ["a", { b: [1] }] }));
    expect((JSON.parse(previewJson(rows, 500)) as unknown[]).slice(0, 5)).toEqual(rows.slice(0, 5));
  });

  test("has every member before the content of one of them", () => {
    const value = {
      first: { deep: Array.from({ length: 1000 }, (_, n) => ({ n })) },
      text: "x".repeat(100_000),
      list: Array.from({ length: 1000 }, (_, n) => n),
      last: true,
    };
    const preview = JSON.parse(previewJson(value, 300)) as Record<string, unknown>;
    expect(Object.keys(preview)).toEqual(["first", "text", "list", "last"]);
    expect(preview["last"]).toBe(true);
    expect(preview["text"]).toMatch(/^x+… [\d,]+ more characters$/);
    expect(preview["list"]).toContain(0);
  });

  test.each<[string, JsonValue]>([
    [
      "100,000 keys",
      Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`key ${n}`, n])),
    ],
    ["a key of 1 MB", { ["k".repeat(1_000_000)]: 1, b: 2 }],
    ["many keys of 1 MB", Object.fromEntries("abcdef".split("").map((k) => [k.repeat(1e6), k]))],
    ["a text of control characters", { a: "\u0001".repeat(100_000) }],
    ["a list of lists", Array.from({ length: 1000 }, () => Array.from({ length: 1000 }, () => 1))],
    ["a deeply nested value", JSON.parse("[".repeat(5000) + "]".repeat(5000)) as JsonValue],
  ])("is in the limit, and JSON, for %s", (_, value) => {
    for (const limit of [100, 400, 4000]) {
      const preview = previewJson(value, limit);
      expect(bytes(preview)).toBeLessThanOrEqual(limit);
      JSON.parse(preview);
    }
  });

  test("uses most of the limit", () => {
    const rows = Array.from({ length: 1000 }, (_, id) => ({ id, text: "some words ".repeat(5) }));
    expect(bytes(previewJson(rows, 4000))).toBeGreaterThan(3000);
    expect(bytes(previewJson({ a: "x".repeat(1e5), b: rows }, 4000))).toBeGreaterThan(3000);
  });

  test("of a limit too small for anything is still within it", () => {
    for (let limit = 0; limit < 40; limit++) {
      for (const value of [
        "日本語".repeat(9),
        [1, 2, 3, "x".repeat(99)],
        { key: "x".repeat(99) },
      ]) {
        expect(bytes(previewJson(value, limit))).toBeLessThanOrEqual(limit);
      }
    }
  });
});
