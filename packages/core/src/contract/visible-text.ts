import { wellFormed } from "../text/utf8.ts";

/**
 * The one table of the characters that a person does not see, or that change where others are seen.
 * `visibleText` removes them from what a model reads, `displayText` spells them out for a person.
 * Each constant is the inside of a character class of a regular expression with the flag `u`.
 */

/**
 * Controls (C0, DEL, C1), what is drawn as nothing (zero-width characters, tags, fillers, variation
 * selectors, direction marks: Default_Ignorable_Code_Point of UAX #44) and interlinear annotation.
 */
const hiddenClass: string = String.raw`\p{Cc}\p{DI}\ufff9-\ufffb`;

/**
 * The characters that a display escapes in addition: line and paragraph separators, format characters, halves of
 * surrogate pairs, characters that no font has to support (private use, unassigned), and the blank of Braille.
 */
export const undisplayableClass: string = String.raw`${hiddenClass}\p{C}\p{Zl}\p{Zp}\u2800`;

/** Spaces that look like the space and are another character; the ideographic space is seen as wide. */
export const lookalikeSpaceClass: string = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f`;

/** Tag letters of the three flags that Unicode recommends for interchange: England, Scotland, Wales. */
export const flagTags: string = String.raw`\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`;

/** A quick test for characters that most texts do not contain; only some of them are hidden. */
const unusual = /[^\t\n\r -~\u00a0-\u00ac\u00ae-\u034e]/;

/**
 * Sequences that a terminal executes and does not display (ECMA-48): CSI sequences, and strings such as a window's
 * title.
 */
const terminal =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c))/g;

/**
 * Controls but tab and line ends, what is drawn as nothing, and what changes the direction; in a
 * group what a script or an emoji needs of them: a variation selector behind the character that it
 * varies, a joiner behind a letter of a script that has joined forms or within an emoji, the
 * letters of a region's flag. Each is judged by a visible character before it, which stays: what
 * is left is the same when it is looked at again. (DI: Default_Ignorable_Code_Point.)
 */
const hiddenPattern = String.raw`((?<=[^${hiddenClass}\s\p{sc=Latin}])[\ufe00-\ufe0f\u180b-\u180d\u180f]|(?<=\p{sc=Han})[\u{e0100}-\u{e01ef}]|(?<=(?![\p{DI}\p{sc=Latin}])[\p{L}\p{M}\p{ExtPict}\p{EMod}]\ufe0f?)[\u200c\u200d]|(?<=\u{1f3f4})${flagTags})|(?![\t\n\r])[${hiddenClass}]`;
let hidden: RegExp | undefined;

/** A script that is written from right to left, and the marks that its punctuation needs. */
const rightToLeft = /(?!\u061c)[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}]/u;
const directionMark = /[\u061c\u200e\u200f]/;

/** Controls that end a line. */
const lineEnd = /[\u000b\u000c\u0085]/;

/**
 * Reduces a text to what a person sees of it, for a model: third-party text about a tool must not contain instructions
 * that only the model reads. Takes out control characters but tab, line feed and carriage return, sequences that steer
 * a terminal, characters that are drawn as nothing (zero-width ones, tags, fillers) and those that change the direction
 * of a text. It leaves the characters that a script or an emoji needs, such as joiners in Persian, direction marks in
 * Hebrew, an emoji's variation. Half of a surrogate pair becomes U+FFFD, another control that ends a line a line feed.
 *
 * A text with nothing of that kind is returned as it is. The same text twice is the same as once.
 */
export function visibleText(text: string): string {
  if (!unusual.test(text)) return text;
  const drawn = wellFormed(text).replace(terminal, "");
  const hasMarks = rightToLeft.test(drawn);
  hidden ??= new RegExp(hiddenPattern, "gu");
  return drawn.replace(hidden, (character, needed: string | undefined) => {
    if (needed !== undefined || (hasMarks && directionMark.test(character))) return character;
    return lineEnd.test(character) ? "\n" : "";
  });
}
