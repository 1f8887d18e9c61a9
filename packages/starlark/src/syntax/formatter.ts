import { StarlarkError } from "../values/error.ts";
import type { Statement } from "./ast.ts";
import { toDialect } from "./dialect.ts";
import type { Dialect } from "./dialect.ts";
import { parseFile } from "./parser.ts";
import { ExpressionPrinter, indentWidth, lastWidth } from "./expression-printer.ts";
import type { Item } from "./expression-printer.ts";
import { SourceText } from "./source-text.ts";

/** How a text is formatted. */
export interface FormatOptions {
  /** The name of the file in errors. Default: `script.star`. */
  readonly file?: string;
  readonly dialect?: Dialect | "artifact" | "session";
}

/**
 * The text in the standard form: 4 spaces per level, one statement per line, one item per line where a list is long or was
 * written so. Comments, literals and parentheses stay as they are; the program stays the same.
 *
 * @throws StarlarkError `invalid_syntax` with all faults of the text.
 */
export function format(text: string, options: FormatOptions = {}): string {
  const { fstrings = false } = toDialect(options.dialect);
  const { statements, comments, problems } = parseFile(text, { fstrings });
  const source = new SourceText(options.file ?? "script.star", text);
  if (problems.length > 0) {
    throw new StarlarkError("invalid_syntax", problems[0]?.message ?? "", {
      problems: problems.map(({ offset, message }) => ({
        position: source.position(offset),
        message,
      })),
    });
  }
  return new Formatter(text, comments).file(statements);
}

/** Prints statements. */
class Formatter extends ExpressionPrinter {
  readonly #lines: string[] = [];
  #lastEnd = 0;

  file(statements: readonly Statement[]): string {
    this.#block(statements, this.text.length);
    return this.#lines.length === 0 ? "" : `${this.#lines.join("\n")}\n`;
  }

  // Statements

  /** Prints statements, and the comments before `end` that are indented like them. */
  #block(statements: readonly Statement[], end: number): void {
    for (const [index, statement] of statements.entries()) {
      this.#ownLineComments(statement.start);
      this.#blankLines(statement.start, index > 0 || this.indent === 0);
      this.#statement(statement, statements[index + 1]?.start ?? end);
    }
    this.#ownLineComments(end, this.indent > 0 ? this.#toColumn(statements[0]?.start ?? 0) : 0);
  }

  #toColumn(offset: number): number {
    return offset - (this.text.lastIndexOf("\n", offset - 1) + 1);
  }

  /** Prints the comments before an offset that have a line of their own. */
  #ownLineComments(offset: number, minColumn = 0): void {
    for (
      let next = this.comments[this.nextComment];
      next !== undefined;
      next = this.comments[this.nextComment]
    ) {
      if (next.start >= offset || this.#toColumn(next.start) < minColumn) return;
      this.#blankLines(next.start, true);
      this.#lines.push(this.#pad() + next.text);
      this.#lastEnd = next.start + next.text.length;
      this.nextComment++;
    }
  }

  /** Keeps the blank lines before an offset: one inside of blocks, two outside. */
  #blankLines(offset: number, allowed: boolean): void {
    const between = this.text.slice(this.#lastEnd, offset);
    const count = between.split("\n").length - 2;
    const limit = this.#lines.length === 0 || !allowed ? 0 : this.indent === 0 ? 2 : 1;
    for (let line = 0; line < Math.min(count, limit); line++) this.#lines.push("");
  }

  #pad(): string {
    return " ".repeat(this.indent * indentWidth);
  }

  #statement(statement: Statement, end: number): void {
    switch (statement.kind) {
      case "def": {
        const { name, parameters } = statement;
        const open = this.text.indexOf("(", name.end);
        const close = this.#closing(parameters.at(-1)?.end ?? open + 1, ")");
        const items = parameters.map((parameter) => this.parameter(parameter));
        const head = `def ${name.name}(`;
        this.#header(
          statement.start,
          close,
          (column) => `${head}${this.items(items, open, close, column + head.length)}):`,
          statement.body[0]?.start,
        );
        this.#body(statement.body, end);
        return;
      }
      case "if": {
        for (const [index, { start, condition, body }] of statement.branches.entries()) {
          if (index > 0) this.#ownLineComments(start);
          const word = index === 0 ? "if" : "elif";
          this.#header(
            start,
            condition.end,
            (column) => `${word} ${this.expression(condition, column + 5)}:`,
            body[0]?.start,
          );
          this.#body(body, statement.branches[index + 1]?.start ?? this.#elseStart(statement, end));
        }
        if (statement.otherwise !== undefined) {
          const start = this.#elseStart(statement, end);
          this.#ownLineComments(start);
          this.#header(start, start + 4, () => "else:", statement.otherwise[0]?.start);
          this.#body(statement.otherwise, end);
        }
        return;
      }
      case "for": {
        const { target, iterable } = statement;
        this.#header(
          statement.start,
          iterable.end,
          (column) =>
            `for ${this.expression(target, column)} in ${this.expression(iterable, column + 8)}:`,
          statement.body[0]?.start,
        );
        this.#body(statement.body, end);
        return;
      }
      case "while":
        this.#header(
          statement.start,
          statement.condition.end,
          (column) => `while ${this.expression(statement.condition, column + 6)}:`,
          statement.body[0]?.start,
        );
        this.#body(statement.body, end);
        return;
      default:
        // A comment behind the next statement of the line belongs to that one.
        this.#header(
          statement.start,
          statement.end,
          (column) => this.#simple(statement, column),
          end,
        );
    }
  }

  #elseStart(statement: Statement & { readonly kind: "if" }, end: number): number {
    const last = statement.branches.at(-1)?.body.at(-1)?.end ?? 0;
    if (statement.otherwise === undefined) return end;
    const first = statement.otherwise[0]?.start ?? end;
    return this.text.lastIndexOf("else", first) < last
      ? first
      : this.text.lastIndexOf("else", first);
  }

  #body(statements: readonly Statement[], end: number): void {
    this.indent++;
    this.#block(statements, end);
    this.indent--;
  }

  /**
   * Prints a line, or lines, with the comment behind it. With comments at other places it stays as it is. A comment behind
   * `bodyStart` belongs to the body.
   */
  #header(
    start: number,
    end: number,
    print: (column: number) => string,
    bodyStart = Infinity,
  ): void {
    const column = this.indent * indentWidth;
    let text = print(column);
    const inside = this.comments.findIndex((comment) => comment.start >= end);
    if (this.nextComment !== (inside === -1 ? this.comments.length : inside)) {
      this.nextComment = inside === -1 ? this.comments.length : inside;
      const colon =
        text.endsWith(":") && this.text[end - 1] !== ":" ? this.text.indexOf(":", end) + 1 : end;
      text = this.text.slice(start, colon);
    }
    const suffix = this.comments[this.nextComment];
    const sameLine =
      suffix !== undefined &&
      !suffix.ownLine &&
      suffix.start < bodyStart &&
      !this.text.slice(end, suffix.start).includes("\n");
    if (sameLine) {
      text += `  ${suffix.text}`;
      this.nextComment++;
    }
    this.#lines.push(this.#pad() + text);
    this.#lastEnd = sameLine ? suffix.start + suffix.text.length : end;
  }

  #simple(statement: Statement, column: number): string {
    switch (statement.kind) {
      case "expression":
        return this.expression(statement.value, column);
      case "assign": {
        const target = `${this.expression(statement.target, column)} ${statement.operator} `;
        return target + this.expression(statement.value, column + lastWidth(target));
      }
      case "return":
        return statement.value === undefined
          ? "return"
          : `return ${this.expression(statement.value, column + 7)}`;
      case "load": {
        const open = this.text.indexOf("(", statement.start);
        const items = [
          this.item(statement.module),
          ...statement.names.map(({ from, to }): Item => {
            const quoted = this.text.slice(from.start - 1, from.end + 1);
            const renamed = to.start !== from.start;
            return {
              start: renamed ? to.start : from.start - 1,
              end: from.end + 1,
              print: () => (renamed ? `${to.name} = ${quoted}` : quoted),
            };
          }),
        ];
        return `load(${this.items(items, open, statement.end - 1, column + 5)})`;
      }
      default:
        return statement.kind;
    }
  }

  /** The offset of a closing bracket behind white space, comments and a comma. */
  #closing(from: number, bracket: string): number {
    const skipped = /^(?:[\s,\\]|#[^\n]*)*/.exec(this.text.slice(from))?.[0].length ?? 0;
    const at = from + skipped;
    return this.text[at] === bracket ? at : this.text.indexOf(bracket, from);
  }
}
