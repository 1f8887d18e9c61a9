/** One line of a text, with the characters that end it. */
export interface TextLine {
  readonly text: string;
  /** Empty: the last line, which nothing ends. */
  readonly ending: string;
}

/** True for a text whose lines end with a carriage return alone: it has no line feed. */
export function endsLinesWithReturns(text: string): boolean {
  return !text.includes("\n") && text.includes("\r");
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
