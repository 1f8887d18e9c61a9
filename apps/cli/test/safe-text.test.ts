import fc from "fast-check";
import { expect, test } from "vitest";
import { safeJson, safeLine, safeText, safeValue } from "../src/render/text.ts";

const tricks =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

test.each([
  ["a colour", "\u001b[31mred", String.raw`\u{1B}[31mred`],
  ["a carriage return", "safe\rgone", String.raw`safe\u{D}gone`],
  ["a right-to-left override", "a\u202eb", String.raw`a\u{202E}b`],
  ["hidden tag characters", "a\u{e0041}", String.raw`a\u{E0041}`],
  ["a hidden variation", "a\ufe01", String.raw`a\u{FE01}`],
  ["lines and tabs", "a\r\nb\tc\n", "a\nb\tc\n"],
  ["letters of any script and emoji", "Ünï 漢字 👩‍🚀 می‌خواهم", "Ünï 漢字 👩‍🚀 می‌خواهم"],
])("%s", (_, text, expected) => {
  expect(safeText(text)).toBe(expected);
});

test("a line of prose has no line breaks, and displays no separator as a space", () => {
  expect(safeLine("  List\n\n  the\tpets\r\n")).toBe("List the pets");
  expect(safeLine("List\u2028the\ufeffpets")).toBe(String.raw`List\u{2028}the\u{FEFF}pets`);
});

test("a value keeps every space, and has no line break", () => {
  expect(safeValue("rm  -rf\n/")).toBe(String.raw`rm  -rf\u{A}/`);
});

test("OU08: no text can control a terminal", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      for (const safe of [safeText, safeLine, safeValue]) expect(safe(text)).not.toMatch(tricks);
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
