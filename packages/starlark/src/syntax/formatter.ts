import type { Statement } from "./ast.ts";
import { type ParseOptions, toDialect } from "./tree.ts";
import { ExpressionPrinter, type Item } from "./expression-printer.ts";
import { parseFile } from "./parser.ts";
import { SourceText } from "./source-text.ts";

/** How a text is formatted. */
export type FormatOptions = Pick<ParseOptions, "file" | "dialect">;

/**
 * The text in the standard form: 4 spaces per level, one statement per line, one item per line where a list is long or was
 * written so. Comments, literals and parentheses stay as they are; the program stays the same.
 *
 * @throws StarlarkError `invalid_syntax` with all faults of the text.
 */
export function format(text: string, options: FormatOptions = {}): string {
  const { fstrings = false } = toDialect(options.dialect);
  const { statements, comments, problems } = parseFile(text, { fstrings });
  if (problems.length > 0)
    throw new SourceText(options.file ?? "script.star", text).toError(problems);
  return new Formatter(text, comments).file(statements);
}

class Formatter extends ExpressionPrinter {
  readonly #lines: string[] = [];
  /** The end of the text that is printed already. */
  #lastEnd = 0;

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
    return offset - (this.text.lastIndexOf("\n", offset - 1) + 1);
  }

  /** Prints the comments before an offset, each in a line of its own. */
  #commentsBefore(offset: number, minColumn = 0): void {
    for (const { start, text } of this.takeComments(
      (comment) => comment.start < offset && this.#toColumn(comment.start) >= minColumn,
    )) {
      this.#blankLines(start, true);
      this.#print(text, start + text.length);
    }
  }

  #print(text: string, end: number): void {
    this.#lines.push(" ".repeat(this.column) + text);
    this.#lastEnd = end;
  }

  /** Keeps the blank lines before an offset: one inside of blocks, two outside. */
  #blankLines(offset: number, allowed: boolean): void {
    const between = this.text.slice(this.#lastEnd, offset);
    const count = between.split("\n").length - 2;
    const limit = this.#lines.length === 0 || !allowed ? 0 : this.indent === 0 ? 2 : 1;
    for (let line = 0; line < Math.min(count, limit); line++) this.#lines.push("");
  }

  #statement(statement: Statement, end: number): void {
    const { start } = statement;
    switch (statement.kind) {
      case "def": {
        const { name, parameters, body, at } = statement;
        const items = parameters.map((parameter) => this.parameter(parameter));
        const list = { start: this.text.indexOf("(", name.end), end: at + 1 };
        const head = this.brackets(`def ${name.name}(`, items, list);
        return this.#compound(start, at, `${head}:`, body, end);
      }
      case "if": {
        const { branches, otherwise = [], at: elseStart = end } = statement;
        for (const [index, { start: at, condition, body }] of branches.entries()) {
          if (index > 0) this.#commentsBefore(at);
          const word = index === 0 ? "if" : "elif";
          const head = `${word} ${this.expression(condition, this.column + 5)}:`;
          this.#compound(at, condition.end, head, body, branches[index + 1]?.start ?? elseStart);
        }
        if (otherwise.length === 0) return;
        this.#commentsBefore(elseStart);
        return this.#compound(elseStart, elseStart + 4, "else:", otherwise, end);
      }
      case "for": {
        const { target, iterable, body } = statement;
        const inPart = this.expression(iterable, this.column + 8);
        const head = `for ${this.expression(target)} in ${inPart}:`;
        return this.#compound(start, iterable.end, head, body, end);
      }
      case "while": {
        const { condition, body } = statement;
        const head = `${this.append("while ", condition)}:`;
        return this.#compound(start, condition.end, head, body, end);
      }
      default:
        // A comment behind the next statement of the line belongs to that one.
        this.#header(start, statement.end, this.#simple(statement), end);
    }
  }

  /** Prints the header of a block, whose source is from `start` to `headerEnd` or the colon behind it, and the block. */
  #compound(
    start: number,
    headerEnd: number,
    header: string,
    body: readonly Statement[],
    end: number,
  ): void {
    this.#header(start, headerEnd, header, body[0]?.start);
    this.indent++;
    this.#block(body, end);
    this.indent--;
  }

  /**
   * Prints a line, or lines, with the comment behind it. With comments at other places it stays as it is. A comment behind
   * `bodyStart` belongs to the body.
   */
  #header(start: number, end: number, text: string, bodyStart = Infinity): void {
    let printed = text;
    if (this.takeComments((comment) => comment.start < end).length > 0) {
      const hasColon = !text.endsWith(":") || this.text[end - 1] === ":";
      printed = this.text.slice(start, hasColon ? end : this.text.indexOf(":", end) + 1);
    }
    const [suffix] = this.takeComments(
      (comment) =>
        !comment.ownLine &&
        comment.start < bodyStart &&
        !this.text.slice(end, comment.start).includes("\n"),
      1,
    );
    if (suffix === undefined) this.#print(printed, end);
    else this.#print(`${printed}  ${suffix.text}`, suffix.start + suffix.text.length);
  }

  #simple(statement: Statement): string {
    switch (statement.kind) {
      case "expression":
        return this.expression(statement.value);
      case "assign": {
        const head = `${this.expression(statement.target)} ${statement.operator} `;
        return this.append(head, statement.value);
      }
      case "return":
        return statement.value === undefined ? "return" : this.append("return ", statement.value);
      case "load": {
        const { module, end } = statement;
        const list = { start: this.text.indexOf("(", statement.start), end };
        const names = statement.names.map(({ from, to }): Item => {
          const quoted = this.text.slice(from.start - 1, from.end + 1);
          const isRenamed = to.start !== from.start;
          const start = isRenamed ? to.start : from.start - 1;
          const text = isRenamed ? `${to.name} = ${quoted}` : quoted;
          return this.item({ start, end: from.end + 1 }, text);
        });
        return this.brackets("load(", [this.item(module, "", module), ...names], list);
      }
      default:
        return statement.kind;
    }
  }
}
