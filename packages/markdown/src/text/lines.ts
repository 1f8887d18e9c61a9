import type { Place } from "./finding.ts";

/** A text that is part of a file, and the places of its offsets in that file. */
export class TextLines {
  readonly file: string;
  readonly text: string;
  readonly #firstLine: number;
  readonly #starts: number[] = [0];

  /** @param firstLine the line of the file on which the text starts. */
  constructor(file: string, text: string, firstLine = 1) {
    this.file = file;
    this.text = text;
    this.#firstLine = firstLine;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1))
      this.#starts.push(at + 1);
  }

  /** The place of an offset. Columns count characters, not units of UTF-16. */
  place(offset: number): Place {
    const row = this.#row(offset);
    const start = this.#starts[row] as number;
    const column = [...this.text.slice(start, Math.max(start, offset))].length + 1;
    return { file: this.file, line: this.#firstLine + row, column };
  }

  /** The line that has an offset: its text without the line break, and the offset of its first character. */
  lineAt(offset: number): { readonly text: string; readonly start: number } {
    const row = this.#row(offset);
    const start = this.#starts[row] as number;
    const next = this.#starts[row + 1];
    return { text: this.text.slice(start, next === undefined ? undefined : next - 1), start };
  }

  #row(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
