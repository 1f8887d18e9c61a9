/** One line of a text, with the characters that end it. */
export interface TextLine {
  readonly text: string;
  /** Empty: the last line, which nothing ends. */
  readonly ending: string;
}

/**
 * The lines of a text: a line feed ends one, also after a carriage return. A carriage return alone does only in a text
 * without line feeds, and no other character does.
 */
export function splitLines(text: string): readonly TextLine[] {
  const lines = text.includes("\n") ? /([^\n]*?)(\r?\n|$)/g : /([^\r]*)(\r|$)/g;
  return [...text.matchAll(lines)]
    .filter(([whole]) => whole !== "")
    .map(([, line = "", ending = ""]) => ({ text: line, ending }));
}
