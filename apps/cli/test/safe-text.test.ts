import fc from "fast-check";
import { expect, test } from "vitest";
import { safeJson, safeLine, safeText } from "../src/safe-text.ts";

const tricks =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

test.each([
  ["a colour", "\u001b[31mred", "\\x1b[31mred"],
  ["a link", "\u001b]8;;https://evil.example\u0007here", "\\x1b]8;;https://evil.example\\x07here"],
  ["a C1 sequence", "\u009b2J", "\\x9b2J"],
  ["a carriage return", "safe\rgone", "safe\\rgone"],
  ["a right-to-left override", "a\u202eb", "a\\u202eb"],
  ["an invisible character", "a\u200bb\ufeff", "a\\u200bb\\ufeff"],
  ["hidden tag characters", "a\u{e0041}", "a\\udb40\\udc41"],
  ["lines and tabs", "a\r\nb\tc\n", "a\nb\tc\n"],
  ["letters of any script and emoji", "Ünï 漢字 👩‍🚀 می‌خواهم", "Ünï 漢字 👩‍🚀 می‌خواهم"],
])("%s", (_, text, expected) => {
  expect(safeText(text)).toBe(expected);
});

test("a line has no line breaks", () => {
  expect(safeLine("  List\n\n  the\tpets\r\n")).toBe("List the pets");
});

test("OU08: no text gets control of a terminal", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(safeText(text)).not.toMatch(tricks);
    }),
  );
});

test("JSON stays the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const json = safeJson(JSON.stringify(value));
      expect(json).not.toMatch(tricks);
      expect(JSON.stringify(JSON.parse(json))).toBe(JSON.stringify(value));
    }),
  );
});
