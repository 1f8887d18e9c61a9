import { charge, sizes } from "../values/budget.ts";
import { characterLength, codePointAt, codePoints, toUtf8 } from "../values/utf8.ts";

/** The white space of Go's `unicode.IsSpace`. */
const whiteSpace = Array.from(
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000",
);
const whiteSpacePoints = new Set(whiteSpace.map((character) => character.charCodeAt(0)));
const whiteSpaceRun = new RegExp(`((?:${whiteSpace.map(toUtf8).join("|")})+)`);
const everyWhiteSpaceRun = new RegExp(whiteSpaceRun, "g");

function chargeParts(count: number, text: string): void {
  charge(count * sizes.string + text.length);
}

/** The parts between runs of white space; at most `limit` splits, from the right if `fromRight`. */
export function splitOnSpace(text: string, limit: number, fromRight: boolean): string[] {
  let count = 2;
  while (everyWhiteSpaceRun.test(text)) count += 2;
  chargeParts(count, text);
  // Words and the white space between them, in turns.
  const parts = text.split(whiteSpaceRun);
  const first = parts[0] === "" ? 2 : 0;
  const end = parts.at(-1) === "" ? parts.length - 2 : parts.length;
  const words = parts.slice(first, Math.max(first, end)).filter((_, index) => index % 2 === 0);
  if (limit < 0 || words.length <= limit) return words;
  // The part that is not split has the white space at its outer end.
  if (fromRight)
    return [parts.slice(0, end - 2 * limit).join(""), ...words.slice(words.length - limit)];
  return [...words.slice(0, limit), parts.slice(first + 2 * limit).join("")];
}

/** The parts between occurrences of a text; at most `limit` splits, from the right if `fromRight`. */
export function splitOnText(
  text: string,
  separator: string,
  limit: number = -1,
  fromRight: boolean = false,
): string[] {
  let count = 1;
  let at = text.indexOf(separator);
  for (; at !== -1; at = text.indexOf(separator, at + separator.length)) count++;
  chargeParts(count, text);
  const parts = text.split(separator);
  const excess = limit < 0 ? 0 : parts.length - limit - 1;
  if (excess <= 0) return parts;
  if (fromRight) return [parts.slice(0, excess + 1).join(separator), ...parts.slice(excess + 1)];
  return [...parts.slice(0, limit), parts.slice(limit).join(separator)];
}

/** The lines, with their ends if `keepEnds`. */
export function splitLines(text: string, keepEnds: boolean): string[] {
  if (text === "") return [];
  const lines = splitOnText(text, "\n");
  const complete = text.endsWith("\n");
  if (complete) lines.pop();
  if (!keepEnds) return lines;
  return lines.map((line, index) => (complete || index < lines.length - 1 ? `${line}\n` : line));
}

/** The characters; an invalid byte is one. */
export function splitCharacters(text: string): string[] {
  const characters: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = start + characterLength(text, start);
    characters.push(text.slice(start, end));
    start = end;
  }
  return characters;
}

/** The text without characters of `cutset` at its ends; without a cutset, without white space. */
export function strip(text: string, cutset: string, left: boolean, right: boolean): string {
  const cut = cutset === "" ? whiteSpacePoints : new Set(codePoints(cutset));
  const isRemoved = (index: number): boolean => cut.has(codePointAt(text, index));
  let start = 0;
  let end = text.length;
  if (left) while (start < end && isRemoved(start)) start += characterLength(text, start);
  if (right) {
    for (let last = lastCharacter(text, end); start < end && isRemoved(last);) {
      end = last;
      last = lastCharacter(text, end);
    }
  }
  return text.slice(start, end);
}

/** The start of the character that ends before `end`. */
function lastCharacter(text: string, end: number): number {
  for (const length of [4, 3, 2]) {
    if (end >= length && characterLength(text, end - length) === length) return end - length;
  }
  return end - 1;
}
