import { chargeString } from "../values/budget.ts";
import { codePoints, encodeCodePoint, isAscii } from "../values/utf8.ts";
import type { Value } from "../values/value.ts";
import { isSpace } from "./string-parts.ts";

const letter = /^\p{L}$/u;
const digit = /^\p{Nd}$/u;
const lowerLetter = /^\p{Lowercase_Letter}$/u;
const upperLetter = /^\p{Uppercase_Letter}$/u;
const titleLetter = /^\p{Titlecase_Letter}$/u;

/** The upper-case character of one character: Unicode's simple mapping, as Go uses it. */
function toUpper(point: number): number {
  const character = String.fromCodePoint(point);
  const mapped = character.toUpperCase();
  if (isOne(mapped)) return mapped.codePointAt(0) as number;
  return simpleGreek.get(point) ?? point;
}

function toLower(point: number): number {
  const mapped = String.fromCodePoint(point).toLowerCase();
  return isOne(mapped) ? (mapped.codePointAt(0) as number) : point === 0x130 ? 0x69 : point;
}

function isOne(mapped: string): boolean {
  return mapped.length === ((mapped.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
}

/** Greek letters with iota below: their simple upper-case form is one character, the full form is two. */
const simpleGreek: ReadonlyMap<number, number> = new Map([
  ...[0x1f80, 0x1f90, 0x1fa0].flatMap((start) =>
    Array.from({ length: 8 }, (_, index): [number, number] => [start + index, start + 8 + index]),
  ),
  [0x1fb3, 0x1fbc],
  [0x1fc3, 0x1fcc],
  [0x1ff3, 0x1ffc],
]);

/** The characters whose title-case form differs from the upper-case form: the digraphs of Croatian, and `ǲ`. */
function toTitle(point: number): number {
  if (point >= 0x1c4 && point <= 0x1cc) return point - ((point - 0x1c4) % 3) + 1;
  if (point >= 0x1f1 && point <= 0x1f3) return 0x1f2;
  if ((point >= 0x10d0 && point <= 0x10fa) || (point >= 0x10fd && point <= 0x10ff)) return point;
  return toUpper(point);
}

function mapPoints(text: string, change: (point: number, index: number) => number): string {
  chargeString(text.length * 2);
  return codePoints(text)
    .map((point, index) => encodeCodePoint(change(point, index)))
    .join("");
}

function upper(text: string): string {
  if (!isAscii(text)) return mapPoints(text, toUpper);
  chargeString(text.length);
  return text.toUpperCase();
}

function lower(text: string): string {
  if (!isAscii(text)) return mapPoints(text, toLower);
  chargeString(text.length);
  return text.toLowerCase();
}

function isCased(point: number): boolean {
  if (point < 0x80) return (point >= 0x41 && point <= 0x5a) || (point >= 0x61 && point <= 0x7a);
  return toUpper(point) !== point || toLower(point) !== point || toTitle(point) !== point;
}

function isCasedText(text: string): boolean {
  return codePoints(text).some(isCased);
}

function everyCharacter(
  text: string,
  holds: (character: string, point: number) => boolean,
): boolean {
  return (
    text !== "" && codePoints(text).every((point) => holds(String.fromCodePoint(point), point))
  );
}

function capitalize(text: string): string {
  return mapPoints(text, (point, index) => (index === 0 ? toTitle(point) : toLower(point)));
}

function title(text: string): string {
  let inWord = false;
  return mapPoints(text, (point) => {
    const mapped = inWord ? toLower(point) : toTitle(point);
    inWord = isCased(mapped);
    return mapped;
  });
}

/** Upper-case characters follow uncased ones only, and lower-case characters cased ones only. */
function isTitle(text: string): boolean {
  let cased = false;
  let afterCased = false;
  for (const point of codePoints(text)) {
    const character = String.fromCodePoint(point);
    if ((point >= 0x41 && point <= 0x5a) || titleLetter.test(character)) {
      if (afterCased) return false;
      afterCased = true;
      cased = true;
    } else if (lowerLetter.test(character)) {
      if (!afterCased) return false;
      cased = true;
    } else if (upperLetter.test(character)) return false;
    else afterCased = false;
  }
  return cased;
}

/** The methods of strings about letter case and kinds of characters. */
export const caseMethods: Readonly<Record<string, (text: string) => Value>> = {
  capitalize,
  isalnum: (text) =>
    everyCharacter(text, (character) => letter.test(character) || digit.test(character)),
  isalpha: (text) => everyCharacter(text, (character) => letter.test(character)),
  isdigit: (text) => everyCharacter(text, (character) => digit.test(character)),
  islower: (text) => isCasedText(text) && text === lower(text),
  isspace: (text) => everyCharacter(text, (_, point) => isSpace(point)),
  istitle: isTitle,
  isupper: (text) => isCasedText(text) && text === upper(text),
  lower,
  title,
  upper,
};
