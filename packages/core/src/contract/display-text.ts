import { flagTags, lookalikeSpaceClass, undisplayableClass } from "./visible-text.ts";

/** Matches a character outside ASCII and the Latin letters. A text without one needs no escapes. */
const unusual = /[^\t\n -~\u00a1-\u00ac\u00ae-\u034e]/;

/** The signs that join two consonants of a script of South or Southeast Asia (virama, coeng, asat). */
const virama = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u103a\u17d2]`;

const letter = String.raw`(?!\p{DI})\p{L}`;

/** Letters of the Arabic script that connect to the next one, so that a non-joiner is seen. */
const connecting = String.raw`(?![\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3\u06d5])(?=\p{L})\p{sc=Arabic}`;

/**
 * Characters that change how their neighbours are drawn, and so are visible: the style of an emoji, the joiner inside
 * an emoji, the non-joiner between connected letters, joiners beside a virama, the three flags.
 */
const needed = [
  String.raw`[\ufe0e\ufe0f](?<=\p{ExtPict}.)`,
  String.raw`\ufe0f(?<=[0-9#*].)(?=\u20e3)`,
  String.raw`\u200d(?<=\p{ExtPict}[\p{EMod}\ufe0f]?.)(?=\p{ExtPict})`,
  String.raw`\u200c(?<=${connecting}.)(?=\p{L})(?=\p{sc=Arabic})`,
  String.raw`[\u200c\u200d](?:(?<=${virama}.)(?=${letter})|(?<=${letter}.)(?=${virama}))`,
  String.raw`${flagTags}(?<=\u{1f3f4}.{4,6})`,
].join("|");

/** Emoji that Unicode will assign are no reason to spell them out. */
const undisplayable = String.raw`(?!\p{ExtPict})[${undisplayableClass}]`;

// Created when first used: each takes a millisecond, and most texts have only usual characters.
let ofText: RegExp | undefined;
let ofLine: RegExp | undefined;
let ofJson: RegExp | undefined;

function escapedPattern(characters: string): RegExp {
  return new RegExp(`(${needed})|${characters}`, "gu");
}

/**
 * The text for a person who decides by it: characters that are invisible, or displayed elsewhere, are written as
 * escapes such as `\u{202E}`: controls (C0, DEL, C1), characters without a width, marks that change the direction,
 * tags, variation selectors without a visible effect, fillers, line and paragraph separators, unassigned and private
 * characters, and half a surrogate pair. Line feeds and tabs stay. Emoji stay intact, and so do joiners that a script
 * displays.
 *
 * For one value in a line use `displayLine`, for prose `displayProse`, for JSON `displayJson`. Texts for a model go
 * through `visibleText`, which removes. The function is idempotent.
 */
export function displayText(text: string): string {
  if (!unusual.test(text)) return text;
  ofText ??= escapedPattern(String.raw`(?![\n\t])${undisplayable}`);
  return text.replace(ofText, spelled);
}

/**
 * One value, such as a target, a URL or a name, on one line: what `displayText` spells out, and line
 * feeds, tabs and spaces that look like the space as well. Runs of spaces stay. Nothing in the value
 * can begin a line in a view of several lines.
 */
export function displayLine(text: string): string {
  if (!unusual.test(text) && !/[\n\t]/.test(text)) return text;
  ofLine ??= escapedPattern(`[${lookalikeSpaceClass}]|${undisplayable}`);
  return text.replace(ofLine, spelled);
}

/**
 * Prose, such as a reason or a description, on one line: runs of spaces, tabs and line ends become
 * one space, and the rest is as in `displayText`.
 *
 * @param maxLength characters of the line; a longer one ends with `…`. Default: any number.
 */
export function displayProse(text: string, maxLength: number = Infinity): string {
  // An escape is only longer than its character.
  const isCut = text.length > maxLength * 10;
  const start = isCut ? text.slice(0, maxLength * 10) : text;
  const line = displayText(start.replace(/[ \t\n\r]+/g, " ").replace(/^ | $/g, ""));
  if (!isCut && line.length <= maxLength) return line;
  return `${line.slice(0, maxLength - 1).replace(/[\p{DI}\p{Cs}]+$/u, "")}…`;
}

/**
 * The same JSON for a person: what `displayLine` spells out is written as an escape of JSON
 * (RFC 8259, section 7), so that it stays the same value. The line ends of its layout stay.
 *
 * @param json what `JSON.stringify` made.
 */
export function displayJson(json: string): string {
  if (!unusual.test(json)) return json;
  ofJson ??= escapedPattern(String.raw`[${lookalikeSpaceClass}]|(?![\n\r\t])${undisplayable}`);
  return json.replace(ofJson, escaped);
}

/** `\n` would read as part of a Windows path: every character has the one form. */
function spelled(character: string, seen: string | undefined): string {
  if (seen !== undefined) return character;
  return `\\u{${(character.codePointAt(0) as number).toString(16).toUpperCase()}}`;
}

function escaped(character: string, seen: string | undefined): string {
  if (seen !== undefined) return character;
  let units = "";
  for (let index = 0; index < character.length; index++) {
    units += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return units;
}
