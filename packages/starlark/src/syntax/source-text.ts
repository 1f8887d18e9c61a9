import type { SourcePosition } from "../values/error.ts";

/** A source text with its name, and the places of its offsets. */
export class SourceText {
  readonly file: string;
  readonly text: string;
  /** The place of the first character, if the text is a part of a file; each line begins at the same column. */
  readonly start: Pick<SourcePosition, "line" | "column">;
  #lineStarts: number[] | undefined;

  constructor(file: string, text: string, start: SourceText["start"] = { line: 1, column: 1 }) {
    this.file = file;
    this.text = text;
    this.start = start;
  }

  /** Line and column of an offset. */
  position(offset: number): SourcePosition {
    const starts = this.#starts();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    const start = starts[low] as number;
    let { column } = this.start;
    for (let index = start; index < offset; index++) {
      const unit = this.text.charCodeAt(index);
      if (unit < 0xdc00 || unit > 0xdfff) column++;
    }
    return { file: this.file, line: this.start.line + low, column };
  }

  #starts(): number[] {
    if (this.#lineStarts !== undefined) return this.#lineStarts;
    const starts = [0];
    for (let at = this.text.indexOf("\n"); at !== -1; at = this.text.indexOf("\n", at + 1))
      starts.push(at + 1);
    this.#lineStarts = starts;
    return starts;
  }
}
