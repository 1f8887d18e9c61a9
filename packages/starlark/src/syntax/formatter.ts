import type { Statement } from "./ast.ts";
import { type ParseOptions, toDialect } from "./tree.ts";
import { ExpressionPrinter, lastWidth } from "./expression-printer.ts";
import { parseFile } from "./parser.ts";
import { SourceText } from "./source-text.ts";
import { checkValue } from "../values/check-value.ts";

/** How a text is formatted. */
export type FormatOptions = Pick<ParseOptions, "file" | "dialect">;

/**
 * The text in the standard form: 4 spaces per level, one statement per line, one item per line where a list is long or was
 * written so. Comments, literals and parentheses stay as they are; the program stays the same.
 *
 * @throws StarlarkError `invalid_syntax` with all faults of the text; TypeError for a value that is no text.
 */
export function format(text: string, options: FormatOptions = {}): string {
  checkValue(typeof text === "string", "format: text", text, "the text of a program");
  const { statements, comments, problems } = parseFile(text, toDialect(options.dialect));
  if (problems.length > 0)
    throw new SourceText(options.file ?? "script.star", text).toError(problems);
  return new Formatter(text, comments).file(statements);
}

class Formatter extends ExpressionPrinter {
  readonly #lines: string[] = [];
  /** A place in the line that is printed last. */
  #lastPlace = 0;

  file(statements: readonly Statement[]): string {
    this.#block(statements, this.text.length);
    return this.#lines.length === 0 ? "" : `${this.#lines.join("\n")}\n`;
  }

  /** Prints statements, and the comments before `end` that are indented like them. */
  #block(statements: readonly Statement[], end: number): void {
    for (const [index, statement] of statements.entries()) {
      this.#commentsBefore(statement.start);
      this.#blankLines(statement.start, index > 0 || this.indent === 0);
      this.#statement(statement, statements[index + 1]?.start ?? end);
    }
    this.#commentsBefore(end, this.indent > 0 ? this.#toColumn(statements[0]?.start ?? 0) : 0);
  }

  #toColumn(offset: number): number {
    return lastWidth(this.text.slice(0, offset));
  }

  /** Prints the comments before an offset, each in a line of its own. */
  #commentsBefore(offset: number, minColumn = 0): void {
    for (const { start, text } of this.takeComments(
      (comment) => comment.start < offset && this.#toColumn(comment.start) >= minColumn,
    )) {
      this.#blankLines(start, true);
      this.#write(text, start);
    }
  }

  #write(text: string, place: number): void {
    this.#lines.push(" ".repeat(this.column) + text);
    this.#lastPlace = place;
  }

  /** Keeps the blank lines before an offset: one inside of blocks, two outside. */
  #blankLines(offset: number, allowed: boolean): void {
    const between = this.text.slice(this.#lastPlace, offset);
    const count = between.split("\n").length - 2;
    const limit = this.#lines.length === 0 || !allowed ? 0 : this.indent === 0 ? 2 : 1;
    for (let line = 0; line < Math.min(count, limit); line++) this.#lines.push("");
  }

  #statement(statement: Statement, end: number): void {
    switch (statement.kind) {
      case "def": {
        const { name, parameters, at } = statement;
        const head = this.brackets(`def ${name.name}(`, parameters, at + 1, this.column);
        return this.#emit(statement, head, at, end);
      }
      case "if": {
        const { branches, otherwise = [], at: elseStart = end } = statement;
        for (const [index, branch] of branches.entries()) {
          this.#commentsBefore(branch.start);
          const { condition } = branch;
          const head = `${index === 0 ? "if" : "elif"} ${this.print(condition, this.column + 5)}`;
          this.#emit(branch, head, condition.end, branches[index + 1]?.start ?? elseStart);
        }
        if (otherwise.length === 0) return;
        this.#commentsBefore(elseStart);
        const branch = { start: elseStart, body: otherwise };
        return this.#emit(branch, "else", elseStart + 4, end);
      }
      case "for": {
        const { target, iterable } = statement;
        const inPart = this.print(iterable, this.column + 8);
        return this.#emit(statement, `for ${this.print(target)} in ${inPart}`, iterable.end, end);
      }
      case "while": {
        const { condition } = statement;
        return this.#emit(statement, this.append("while ", condition), condition.end, end);
      }
      default:
        this.#emit(statement, this.print(statement), statement.end, end);
    }
  }

  /**
   * Prints `head`, a statement or what is before the colon of a block, with the comment behind it, and the block with its
   * comments up to `end`. The source of the head ends at `headEnd`, or at the colon behind it; with comments at other places
   * it stays as it is. A comment behind the next statement of the line belongs to that one.
   */
  #emit(
    { start, body = [] }: { readonly start: number; readonly body?: readonly Statement[] },
    head: string,
    headEnd: number,
    end: number,
  ): void {
    const hasBody = body.length > 0;
    const limit = body[0]?.start ?? end;
    const hasComments = [...this.takeComments((comment) => comment.start < headEnd)].length > 0;
    const sourceEnd = hasBody ? this.text.indexOf(":", headEnd) + 1 : headEnd;
    const printed = hasComments ? this.text.slice(start, sourceEnd) : head + (hasBody ? ":" : "");
    const suffix = this.suffix(
      (place) => place < limit && !this.text.slice(headEnd, place).includes("\n"),
    );
    this.#write(printed + suffix, headEnd);
    if (!hasBody) return;
    this.indent++;
    this.#block(body, end);
    this.indent--;
  }
}
