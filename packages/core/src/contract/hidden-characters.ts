/**
 * The one table of the characters that a person does not see, or that change where others are seen.
 * `visibleText` removes them from what a model reads, `displayText` spells them out for a person.
 * Each constant is the inside of a character class of a regular expression with the flag `u`.
 */

/**
 * Controls (C0, DEL, C1), what is drawn as nothing (zero-width characters, tags, fillers, variation
 * selectors, direction marks: Default_Ignorable_Code_Point of UAX #44) and interlinear annotation.
 */
export const hiddenClass: string = String.raw`\p{Cc}\p{DI}\ufff9-\ufffb`;

/**
 * The characters that a display escapes in addition: line and paragraph separators, format characters, halves of
 * surrogate pairs, characters that no font has to support (private use, unassigned), and the blank of Braille.
 */
export const undisplayableClass: string = String.raw`${hiddenClass}\p{C}\p{Zl}\p{Zp}\u2800`;

/** Spaces that look like the space and are another character; the ideographic space is seen as wide. */
export const lookalikeSpaceClass: string = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f`;

/** Tag letters of the three flags that Unicode recommends for interchange: England, Scotland, Wales. */
export const flagTags: string = String.raw`\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`;
