import { visibleText } from "@toolweave/core";
import { hasLoneSurrogate } from "./lone-surrogate.ts";

/** A text that a model reads, and where it stands in the spec. */
export interface ReadText {
  /** A JSON pointer into the spec (RFC 6901). */
  readonly path: string;
  readonly text: string;
}

/**
 * The first character of a text that nobody sees and a model reads, or that shows the others in
 * another order, as `U+202E`; `undefined`: there is none. What a script needs is none: joiners in
 * Persian, an emoji's variation.
 */
export function hiddenCharacter(text: string): string | undefined {
  const visible = visibleText(text);
  if (visible === text) return undefined;
  const shown = [...visible];
  let index = 0;
  for (const character of text) {
    // Half of a pair is broken, not hidden.
    if (character !== shown[index] && !hasLoneSurrogate(character)) {
      return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
    }
    index++;
  }
  return undefined;
}
