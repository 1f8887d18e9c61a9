// Characters that move the cursor, change colours, reorder or hide text on a terminal or in a log.
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

// Joiners and variation selectors, which scripts and emoji need.
const allowed = /\u200c|\u200d|[\ufe00-\ufe0f]/;

/**
 * Escapes text that a tested tool may have written. Line breaks and tabs stay, other control and
 * format characters become visible.
 */
export function escapeText(text: string): string {
  return text.replace(unprintable, (character) => {
    if (character === "\n" || character === "\t" || allowed.test(character)) return character;
    return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
  });
}

/** Escapes text like `printable` on one line: runs of white space become one space. */
export function escapeLine(text: string): string {
  return escapeText(text.replace(/\s+/g, " ").trim());
}
