import { expect, test } from "vitest";
import { findHiddenCharacter } from "../../src/faults/hidden-characters.ts";

test.each<[what: string, text: string, character: string]>([
  ["a control", "a\u0007b", "U+0007"],
  ["an escape", "\u001B[31mred", "U+001B"],
  ["a control of Latin-1", "it\u0092s", "U+0092"],
  ["a zero-width space", "pass\u200Bword", "U+200B"],
  ["a joiner between Latin letters", "pass\u200Dword", "U+200D"],
  ["a word joiner", "a\u2060b", "U+2060"],
  ["a byte order mark", "\uFEFFRead it.", "U+FEFF"],
  ["an override of the direction", "\u202Etxt.exe", "U+202E"],
  ["an isolate", "a\u2067b\u2069", "U+2067"],
  ["a direction mark among Latin letters", "a\u200Fb", "U+200F"],
  ["tags", "\u{E0072}\u{E0075}\u{E006E}", "U+E0072"],
  ["tags behind an emoji", "🙂\u{E0072}\u{E007F}", "U+E0072"],
  ["more tags than a flag has", `🏴${"\u{E0072}".repeat(7)}\u{E007F}`, "U+E0072"],
  ["two variation selectors", "🙂\uFE0F\u{E0101}", "U+E0101"],
  ["a variation selector behind a Latin letter", "a\uFE01", "U+FE01"],
  ["a filler", "a\u3164b", "U+3164"],
])("%s is hidden", (_, text, character) => {
  expect(findHiddenCharacter(text)).toBe(character);
});

// Core, and its tests, decide which characters stay in a text.
test.each<[what: string, text: string]>([
  ["lines and tabs", "One.\r\n\tTwo."],
  ["a Persian word with a non-joiner", "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645"],
  ["a profession with a colour", "👩🏽\u200D⚕\uFE0F"],
])("%s is not hidden", (_, text) => {
  expect(findHiddenCharacter(text)).toBeUndefined();
});
