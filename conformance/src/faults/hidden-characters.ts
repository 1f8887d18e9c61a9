import { visibleText } from "@toolweave/core/adapter";

/** A text of a spec that a model reads. */
export interface SpecText {
  /** A JSON pointer into the spec (RFC 6901). */
  readonly path: string;
  readonly text: string;
}

/**
 * Finds the first character of a text that is invisible or changes the order of others, as
 * `U+202E`; `undefined` if there is none. Characters that scripts and emoji need do not count:
 * joiners in Persian, variation selectors.
 */
export function findHiddenCharacter(text: string): string | undefined {
  const visible = visibleText(text);
  if (visible === text) return undefined;
  const visibleCharacters = [...visible];
  let index = 0;
  for (const character of text) {
    // A lone surrogate is broken, not hidden.
    if (character !== visibleCharacters[index] && !hasLoneSurrogate(character)) {
      return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
    }
    index++;
  }
  return undefined;
}

/** True for a text with a lone surrogate: half of a character that takes two UTF-16 units. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}
