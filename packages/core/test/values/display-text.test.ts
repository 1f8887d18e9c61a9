import { displayJson, displayLine, displayText } from "@toolweave/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const inTags = (text: string): string =>
  Array.from(text, (letter) =>
    String.fromCodePoint(0xe0000 + (letter.codePointAt(0) as number)),
  ).join("");

const displays = [displayText, displayLine, displayJson];

describe("a person reads the code of", () => {
  test.each<[what: string, text: string, displayed: string]>([
    ["a bell", "a\u0007b", String.raw`a\u{7}b`],
    ["a colour", "\u001B[31mred", String.raw`\u{1B}[31mred`],
    ["DEL and C1", "a\u007F\u0085\u009B2J", String.raw`a\u{7F}\u{85}\u{9B}2J`],
    ["a carriage return", "safe\rgone", String.raw`safe\u{D}gone`],
    ["line and paragraph separators", "a\u2028b\u2029c", String.raw`a\u{2028}b\u{2029}c`],
    ["an override of the direction", "a\u202Eb\u202C", String.raw`a\u{202E}b\u{202C}`],
    [
      "isolates and marks",
      "\u2066a\u2069\u200E\u200F\u061C",
      String.raw`\u{2066}a\u{2069}\u{200E}\u{200F}\u{61C}`,
    ],
    ["a direction mark in Hebrew", "\u05D0\u200F", "\u05D0\\u{200F}"],
    ["a zero-width space", "rm\u200B-rf\uFEFF\u2060", String.raw`rm\u{200B}-rf\u{FEFF}\u{2060}`],
    ["a soft hyphen", "pay\u00ADpal", String.raw`pay\u{AD}pal`],
    ["joiners among Latin letters", "a\u200Cb\u200Dc", String.raw`a\u{200C}b\u{200D}c`],
    ["joiners among Cyrillic letters", "а\u200Dб", "а\\u{200D}б"],
    ["a joiner that joins nothing", "🙂\u200D", "🙂\\u{200D}"],
    [
      "a non-joiner after a letter that joins nothing",
      "\u0627\u200C\u0628",
      "\u0627\\u{200C}\u0628",
    ],
    ["a letter in tags", `a${inTags("b")}`, String.raw`a\u{E0062}`],
    [
      "tags after a character that is not a flag",
      `🏴${inTags("rm -f")}\u{E007F}`,
      "🏴\\u{E0072}\\u{E006D}\\u{E0020}\\u{E002D}\\u{E0066}\\u{E007F}",
    ],
    ["a variation of a letter", "a\uFE0F/1\uFE01", String.raw`a\u{FE0F}/1\u{FE01}`],
    ["bytes after an emoji", "🙂\u{E0148}\uFE00", "🙂\\u{E0148}\\u{FE00}"],
    ["a second variation of an emoji", "❤\uFE0F\uFE0F", "❤\uFE0F\\u{FE0F}"],
    ["a variant of a Chinese character", "\u845B\u{E0100}", "\u845B\\u{E0100}"],
    [
      "fillers and the blank of Braille",
      "a\u3164\u115F\uFFA0\u2800b",
      String.raw`a\u{3164}\u{115F}\u{FFA0}\u{2800}b`,
    ],
    ["annotations between lines", "\uFFF9a\uFFFB", String.raw`\u{FFF9}a\u{FFFB}`],
    ["private and unassigned characters", "\uE000\u{10FFFF}", String.raw`\u{E000}\u{10FFFF}`],
    ["half a character", "\uD83Dx", String.raw`\u{D83D}x`],
  ])("%s", (_, text, displayed) => {
    expect(displayText(text)).toBe(displayed);
    expect(displayLine(text)).toBe(displayed);
  });
});

test.each<[what: string, text: string]>([
  ["ASCII", String.raw`C:\new "x" <a>`],
  ["letters of any script", "Ünï cafe\u0301 漢字 かな 한글 Привет שלום ไทย"],
  ["typography", "“quoted” – €…"],
  ["a Persian word with a non-joiner", "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645"],
  ["a Hindi word with a joiner", "\u0915\u094D\u200D\u0937"],
  ["a Bengali word with a joiner before the virama", "\u09B0\u200D\u09CD\u09AF"],
  [
    "emoji with their variations",
    "✔\uFE0F 3\uFE0F\u20E3 👩🏽\u200D⚕\uFE0F 👨\u200D👩\u200D👧 👩\u200D❤\uFE0F\u200D👨",
  ],
  ["the flag of Scotland", `🏴${inTags("gbsct")}\u{E007F}`],
])("a person reads %s unchanged", (_, text) => {
  for (const display of displays) expect(display(text)).toBe(text);
});

test("a text keeps its lines and tabs, a value has none", () => {
  expect(displayText("a\n\tb\u00A0c")).toBe("a\n\tb\u00A0c");
  expect(displayLine("a\n\tb\u00A0c")).toBe(String.raw`a\u{A}\u{9}b\u{A0}c`);
});

test("JSON is displayed as the same value, in its layout", () => {
  const value = { "k\u202Ey": ["a\u2028b\u0007\n", "x\u00A0\u{E0041}", "👩\u200D🚀"] };
  const json = displayJson(JSON.stringify(value, null, 2));
  expect(json).toBe(
    '{\n  "k\\u202ey": [\n    "a\\u2028b\\u0007\\n",\n    "x\\u00a0\\udb40\\udc41",\n    "👩\u200D🚀"\n  ]\n}',
  );
  expect(JSON.parse(json)).toEqual(value);
});

const odd = fc.constantFrom(
  ..."aé世ب\u0627\u0915\u094Dא🙂🏴👩❤3#\u20E3 ~\\\n\t\r",
  ..."\u0007\u001B\u009C\u00A0\u00AD\u034F\u061C\u180B\u200B\u200C\u200D\u200F\u2028\u202E\u2800\u3164\uFE00\uFE0F\uFEFF",
  ..."\uD83D\uDE42".split(""),
  "\u{1F3FD}",
  "\u{E0067}",
  "\u{E0062}",
  "\u{E007F}",
  "\u{E0100}",
);
const texts = fc.string({ unit: odd, maxLength: 30 });

test("a displayed text is unchanged if it is displayed again", () => {
  fc.assert(
    fc.property(texts, (text) => {
      for (const display of [displayText, displayLine]) {
        expect(display(display(text))).toBe(display(text));
      }
    }),
    { numRuns: 2000 },
  );
});

test("no value contains a control character or a line break, in a line or in JSON", () => {
  fc.assert(
    fc.property(fc.oneof(texts, fc.string({ unit: "binary" })), (text) => {
      expect(displayLine(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u);
      const json = displayJson(JSON.stringify(text));
      expect(json).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u);
      expect(JSON.parse(json)).toBe(text);
    }),
  );
});
