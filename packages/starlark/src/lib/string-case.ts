import { chargeString, spend } from "../values/budget.ts";
import { fromUtf8, isAscii, toUtf8 } from "../values/utf8.ts";
import type { Value } from "../values/value.ts";
import type { Definition } from "./builtin.ts";

const oneCharacter = /^.$/su;

/** The upper-case form of a character: Unicode's simple mapping, as Go uses it. */
function toUpper(character: string): string {
  const mapped = character.toUpperCase();
  if (oneCharacter.test(mapped)) return mapped;
  // The full form of a Greek letter with iota below has two characters, the simple form is one.
  const distance = /[\u1f80-\u1f87\u1f90-\u1f97\u1fa0-\u1fa7]/.test(character)
    ? 8
    : /[\u1fb3\u1fc3\u1ff3]/.test(character)
      ? 9
      : 0;
  return String.fromCodePoint((character.codePointAt(0) as number) + distance);
}

function toLower(character: string): string {
  return character === "\u0130" ? "i" : character.toLowerCase();
}

/** The title-case form, which differs from the upper-case form for digraphs and for Georgian letters. */
function toTitle(character: string): string {
  const point = character.codePointAt(0) as number;
  if (point >= 0x1c4 && point <= 0x1cc)
    return String.fromCodePoint(point - ((point - 0x1c4) % 3) + 1);
  if (point >= 0x1f1 && point <= 0x1f3) return "\u01f2";
  return /[\u10d0-\u10fa\u10fd-\u10ff]/.test(character) ? character : toUpper(character);
}

function isCased(character: string): boolean {
  if (character < "\u0080") return /[A-Za-z]/.test(character);
  return [toUpper, toLower, toTitle].some((change) => change(character) !== character);
}

function mapCharacters(text: string, change: (character: string, index: number) => string): string {
  chargeString(text.length * 2);
  let index = 0;
  // In parts, so that the characters of a long text are not in memory at once.
  const parts = fromUtf8(text).match(/[^]{1,4096}/gu) ?? [];
  const mapped = parts.map((part) =>
    Array.from(part, (character) => change(character, index++)).join(""),
  );
  return toUtf8(mapped.join(""));
}

function upper(text: string): string {
  if (!isAscii(text)) return mapCharacters(text, toUpper);
  chargeString(text.length);
  return text.toUpperCase();
}

function lower(text: string): string {
  if (!isAscii(text)) return mapCharacters(text, toLower);
  chargeString(text.length);
  return text.toLowerCase();
}

function title(text: string): string {
  let inWord = false;
  return mapCharacters(text, (character) => {
    const mapped = inWord ? toLower(character) : toTitle(character);
    inWord = isCased(mapped);
    return mapped;
  });
}

/** The text as a JavaScript string, with its memory charged. */
function decode(text: string): string {
  if (!isAscii(text)) chargeString(text.length);
  return fromUtf8(text);
}

/** Whether there is text, and no character of it matches. */
function lacks(text: string, pattern: RegExp): boolean {
  spend(text.length >> 6);
  return text !== "" && !pattern.test(decode(text));
}

function hasCase(text: string): boolean {
  spend(text.length >> 6);
  for (const character of decode(text)) if (isCased(character)) return true;
  return false;
}

/**
 * Matches what a title does not have: upper-case letters beyond ASCII, a capital after a letter with case, a small letter that does
 * not follow one.
 */
const notInTitle =
  /(?![A-Z])\p{Lu}|[\p{Lu}\p{Ll}\p{Lt}][A-Z\p{Lt}]|(?<![\p{Lu}\p{Ll}\p{Lt}])\p{Ll}/u;

const methods: Readonly<Record<string, (text: string) => Value>> = {
  capitalize: (text) =>
    mapCharacters(text, (character, index) =>
      index === 0 ? toTitle(character) : toLower(character),
    ),
  isalnum: (text) => lacks(text, /[^\p{L}\p{Nd}]/u),
  isalpha: (text) => lacks(text, /\P{L}/u),
  isdigit: (text) => lacks(text, /\P{Nd}/u),
  islower: (text) => hasCase(text) && text === lower(text),
  isspace: (text) => lacks(text, /\P{White_Space}/u),
  istitle: (text) => lacks(text, notInTitle) && /[\p{Lu}\p{Ll}\p{Lt}]/u.test(decode(text)),
  isupper: (text) => hasCase(text) && text === upper(text),
  lower,
  title,
  upper,
};

/** The methods of strings about letter case and kinds of characters. */
export const caseMethods: Readonly<Record<string, Definition<[string]>>> = Object.fromEntries(
  Object.entries(methods).map(([name, compute]) => [name, ["", compute]]),
);
