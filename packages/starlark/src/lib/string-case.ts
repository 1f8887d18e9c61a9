import { chargeString, spend } from "../values/budget.ts";
import { replaceCharacters } from "../values/quote.ts";
import { fromUtf8, isAscii } from "../values/utf8.ts";
import type { Definitions } from "./builtin.ts";

const oneCharacter = /^.$/su;

/** The upper-case form of a character: Unicode's simple mapping, as Go uses it. */
function toUpper(character: string): string {
  const mapped = character.toUpperCase();
  if (oneCharacter.test(mapped)) return mapped;
  // The full form of a Greek letter with iota below has two characters. The simple form is the letter 8 or 9 places later.
  const point = character.codePointAt(0) as number;
  const candidates = [point + 8, point + 9].map((other) => String.fromCodePoint(other));
  return candidates.find((other) => other.toLowerCase() === character) ?? character;
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
  return toUpper(character) !== character || toLower(character) !== character;
}

function mapCharacters(text: string, change: (character: string) => string): string {
  chargeString(text.length * 2);
  return replaceCharacters(text, /[^]/gu, change);
}

function upper(text: string): string {
  chargeString(text.length);
  return isAscii(text) ? text.toUpperCase() : mapCharacters(text, toUpper);
}

function lower(text: string): string {
  chargeString(text.length);
  return isAscii(text) ? text.toLowerCase() : mapCharacters(text, toLower);
}

/** The text with capitals at the start of words. `continuesWord` receives the last character before a place. */
function capitalize(text: string, continuesWord: (character: string) => boolean): string {
  let isInWord = false;
  return mapCharacters(text, (character) => {
    const mapped = isInWord ? toLower(character) : toTitle(character);
    isInWord = continuesWord(mapped);
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
  for (const character of decode(text)) {
    spend(1);
    if (isCased(character)) return true;
  }
  return false;
}

/**
 * Matches what a title does not have: upper-case letters beyond ASCII, a capital after a letter with case, a small letter that does
 * not follow one.
 */
const notInTitle =
  /(?![A-Z])\p{Lu}|[\p{Lu}\p{Ll}\p{Lt}][A-Z\p{Lt}]|(?<![\p{Lu}\p{Ll}\p{Lt}])\p{Ll}/u;

/** The methods of strings about letter case and kinds of characters. */
export const caseMethods: Definitions<[string]> = {
  "capitalize()": (text) => capitalize(text, () => true),
  "isalnum()": (text) => lacks(text, /[^\p{L}\p{Nd}]/u),
  "isalpha()": (text) => lacks(text, /\P{L}/u),
  "isdigit()": (text) => lacks(text, /\P{Nd}/u),
  "islower()": (text) => hasCase(text) && text === lower(text),
  "isspace()": (text) => lacks(text, /\P{White_Space}/u),
  "istitle()": (text) => lacks(text, notInTitle) && /[\p{Lu}\p{Ll}\p{Lt}]/u.test(decode(text)),
  "isupper()": (text) => hasCase(text) && text === upper(text),
  "lower()": lower,
  "title()": (text) => capitalize(text, isCased),
  "upper()": upper,
};
