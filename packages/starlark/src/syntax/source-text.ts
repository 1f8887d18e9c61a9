import { checkValue } from "../values/check-value.ts";
import { type SourcePosition, type SourceProblem, StarlarkError } from "../values/error.ts";

/** A fault in the text that ends the statement it is in. */
export class SyntaxFault extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** A fault as data: its place and its message. */
export type SyntaxProblem = Pick<SyntaxFault, "offset" | "message">;

/** A source text with its name, and the places of its offsets. */
export class SourceText {
  readonly file: string;
  readonly text: string;
  /** The place of the first character, if the text is a part of a file; each line begins at the same column. */
  readonly start: Pick<SourcePosition, "line" | "column">;
  #lineStarts: readonly number[] | undefined;

  /** @throws TypeError for a text that is none. */
  constructor(file: string, text: string, start: SourceText["start"] = { line: 1, column: 1 }) {
    checkValue(typeof text === "string", "text", text, "the text of a program");
    this.file = file;
    this.text = text;
    this.start = start;
  }

  position(offset: number): SourcePosition {
    const newlines = this.text.matchAll(/\n/g);
    this.#lineStarts ??= [0, ...Array.from(newlines, ({ index }) => index + 1)];
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lineStarts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    const before = this.text.slice(this.#lineStarts[low], offset);
    const column = this.start.column + before.replaceAll(/[\udc00-\udfff]/g, "").length;
    return { file: this.file, line: this.start.line + low, column };
  }

  /** The faults of the text with their places. */
  toProblems(problems: readonly SyntaxProblem[]): SourceProblem[] {
    return problems.map(({ offset, message }) => ({ position: this.position(offset), message }));
  }

  /** The error that reports the faults of the text. */
  toError(problems: readonly SyntaxProblem[]): StarlarkError {
    const message = problems[0]?.message ?? "";
    return new StarlarkError("invalid_syntax", message, { problems: this.toProblems(problems) });
  }
}
