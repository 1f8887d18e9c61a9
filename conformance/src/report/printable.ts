// What moves the cursor, recolours, reorders or hides text on a terminal or in a log.
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

// Joiners and variation selectors: scripts and emoji are written with them.
const harmless = /\u200c|\u200d|[\ufe00-\ufe0f]/;

/**
 * Text that a tested tool may have written, for people to read: line breaks and tabs stay, other
 * control and format characters become visible.
 */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => {
    if (character === "\n" || character === "\t" || harmless.test(character)) return character;
    return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
  });
}

/** The same on one line: runs of white space become one space. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/g, " ").trim());
}
