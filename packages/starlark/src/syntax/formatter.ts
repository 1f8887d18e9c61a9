import { StarlarkError } from "../error.ts";
import type { Argument, Comment, DictEntry, Expression, Parameter, Statement } from "./ast.ts";
import { toDialect } from "./dialect.ts";
import type { Dialect } from "./dialect.ts";
import { parseFile } from "./parser.ts";
import { SourceText } from "./source-text.ts";

const indentWidth = 4;
const maxWidth = 100;

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
      problems: problems.map(({ offset, message }) => ({ position: source.position(offset), message })),
    });
  }
  return new Formatter(text, comments).file(statements);
}

/** Something between brackets: its text, and its place for the comments around it. */
interface Item {
  readonly start: number;
  readonly end: number;
  readonly print: (column: number) => string;
}

class Formatter {
  readonly #text: string;
  readonly #comments: readonly Comment[];
  readonly #lines: string[] = [];
  /** The comments that are printed already: the comments before this index. */
  #nextComment = 0;
  #indent = 0;
  /** How many brackets around the current item have their items on lines of their own. */
  #depth = 0;
  #lastEnd = 0;

  constructor(text: string, comments: readonly Comment[]) {
    this.#text = text;
    this.#comments = comments;
  }

  file(statements: readonly Statement[]): string {
    this.#block(statements, this.#text.length);
    return this.#lines.length === 0 ? "" : `${this.#lines.join("\n")}\n`;
  }

  // Statements

  /** Prints statements, and the comments before `end` that are indented like them. */
  #block(statements: readonly Statement[], end: number): void {
    for (const [index, statement] of statements.entries()) {
      this.#ownLineComments(statement.start);
      this.#blankLines(statement.start, index > 0 || this.#indent === 0);
      this.#statement(statement, statements[index + 1]?.start ?? end);
    }
    this.#ownLineComments(end, this.#indent > 0 ? this.#columnOf(statements[0]?.start ?? 0) : 0);
  }

  #columnOf(offset: number): number {
    return offset - (this.#text.lastIndexOf("\n", offset - 1) + 1);
  }

  /** Prints the comments before an offset that have a line of their own. */
  #ownLineComments(offset: number, minColumn = 0): void {
    for (let next = this.#comments[this.#nextComment]; next !== undefined; next = this.#comments[this.#nextComment]) {
      if (next.start >= offset || this.#columnOf(next.start) < minColumn) return;
      this.#blankLines(next.start, true);
      this.#lines.push(this.#pad() + next.text);
      this.#lastEnd = next.start + next.text.length;
      this.#nextComment++;
    }
  }

  /** Keeps the blank lines before an offset: one inside of blocks, two outside. */
  #blankLines(offset: number, allowed: boolean): void {
    const between = this.#text.slice(this.#lastEnd, offset);
    const count = between.split("\n").length - 2;
    const limit = this.#lines.length === 0 || !allowed ? 0 : this.#indent === 0 ? 2 : 1;
    for (let line = 0; line < Math.min(count, limit); line++) this.#lines.push("");
  }

  #pad(): string {
    return " ".repeat(this.#indent * indentWidth);
  }

  #statement(statement: Statement, end: number): void {
    switch (statement.kind) {
      case "def": {
        const { name, parameters } = statement;
        const open = this.#text.indexOf("(", name.end);
        const close = this.#closing(parameters.at(-1)?.end ?? open + 1, ")");
        const items = parameters.map((parameter) => this.#parameter(parameter));
        const head = `def ${name.name}(`;
        this.#header(
          statement.start,
          close,
          (column) => `${head}${this.#items(items, open, close, column + head.length)}):`,
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
            (column) => `${word} ${this.#expression(condition, column + 5)}:`,
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
          (column) => `for ${this.#expression(target, column)} in ${this.#expression(iterable, column + 8)}:`,
          statement.body[0]?.start,
        );
        this.#body(statement.body, end);
        return;
      }
      case "while":
        this.#header(
          statement.start,
          statement.condition.end,
          (column) => `while ${this.#expression(statement.condition, column + 6)}:`,
          statement.body[0]?.start,
        );
        this.#body(statement.body, end);
        return;
      default:
        this.#header(statement.start, statement.end, (column) => this.#simple(statement, column));
    }
  }

  #elseStart(statement: Statement & { readonly kind: "if" }, end: number): number {
    const last = statement.branches.at(-1)?.body.at(-1)?.end ?? 0;
    if (statement.otherwise === undefined) return end;
    const first = statement.otherwise[0]?.start ?? end;
    return this.#text.lastIndexOf("else", first) < last ? first : this.#text.lastIndexOf("else", first);
  }

  #body(statements: readonly Statement[], end: number): void {
    this.#indent++;
    this.#block(statements, end);
    this.#indent--;
  }

  /**
   * Prints a line, or lines, with the comment behind it. With comments at other places it stays as it is. A comment behind
   * `bodyStart` belongs to the body.
   */
  #header(start: number, end: number, print: (column: number) => string, bodyStart = Infinity): void {
    const column = this.#indent * indentWidth;
    let text = print(column);
    const inside = this.#comments.findIndex((comment) => comment.start >= end);
    if (this.#nextComment !== (inside === -1 ? this.#comments.length : inside)) {
      this.#nextComment = inside === -1 ? this.#comments.length : inside;
      const colon = text.endsWith(":") && this.#text[end - 1] !== ":" ? this.#text.indexOf(":", end) + 1 : end;
      text = this.#text.slice(start, colon);
    }
    const suffix = this.#comments[this.#nextComment];
    const sameLine =
      suffix !== undefined &&
      !suffix.ownLine &&
      suffix.start < bodyStart &&
      !this.#text.slice(end, suffix.start).includes("\n");
    if (sameLine) {
      text += `  ${suffix.text}`;
      this.#nextComment++;
    }
    this.#lines.push(this.#pad() + text);
    this.#lastEnd = sameLine ? suffix.start + suffix.text.length : end;
  }

  #simple(statement: Statement, column: number): string {
    switch (statement.kind) {
      case "expression":
        return this.#expression(statement.value, column);
      case "assign": {
        const target = `${this.#expression(statement.target, column)} ${statement.operator} `;
        return target + this.#expression(statement.value, column + lastWidth(target));
      }
      case "return":
        return statement.value === undefined ? "return" : `return ${this.#expression(statement.value, column + 7)}`;
      case "load": {
        const open = this.#text.indexOf("(", statement.start);
        const items = [
          this.#item(statement.module),
          ...statement.names.map(({ from, to }): Item => {
            const quoted = this.#text.slice(from.start - 1, from.end + 1);
            const renamed = to.start !== from.start;
            return {
              start: renamed ? to.start : from.start - 1,
              end: from.end + 1,
              print: () => (renamed ? `${to.name} = ${quoted}` : quoted),
            };
          }),
        ];
        return `load(${this.#items(items, open, statement.end - 1, column + 5)})`;
      }
      default:
        return statement.kind;
    }
  }

  // Expressions

  #expression(expression: Expression, column: number): string {
    const { start, end } = expression;
    switch (expression.kind) {
      case "name":
        return expression.name;
      case "literal":
      case "format":
        return this.#text.slice(start, end);
      case "parenthesized":
        return this.#parenthesized(expression, column);
      case "tuple":
        if (expression.items.length === 0) return "()";
        return expression.items.map((item) => this.#expression(item, column)).join(", ");
      case "list":
        return `[${this.#items(expression.items.map((item) => this.#item(item)), start, end - 1, column + 1)}]`;
      case "dict":
        return `{${this.#items(expression.entries.map((entry) => this.#entry(entry)), start, end - 1, column + 1)}}`;
      case "comprehension":
        return this.#comprehension(expression, column);
      case "conditional": {
        const { then, condition, otherwise } = expression;
        const [first, second, third] = [then, condition, otherwise].map((part) => this.#expression(part, column));
        return `${first} if ${second} else ${third}`;
      }
      case "unary": {
        const operator = expression.operator === "not" ? "not " : expression.operator;
        return operator + this.#expression(expression.operand, column + operator.length);
      }
      case "binary":
        return this.#binary(expression, column);
      case "dot":
        return `${this.#expression(expression.object, column)}.${expression.name}`;
      case "index": {
        const object = this.#expression(expression.object, column);
        return `${object}[${this.#expression(expression.index, column + lastWidth(object) + 1)}]`;
      }
      case "slice": {
        const print = (part: Expression | undefined): string =>
          part === undefined ? "" : this.#expression(part, column);
        const object = print(expression.object);
        const bounds = `${print(expression.low)}:${print(expression.high)}`;
        return `${object}[${bounds}${expression.step === undefined ? "" : `:${print(expression.step)}`}]`;
      }
      case "call": {
        const callee = this.#expression(expression.callee, column);
        const items = expression.arguments.map((argument) => this.#argument(argument));
        return `${callee}(${this.#items(items, expression.at, end - 1, column + lastWidth(callee) + 1)})`;
      }
      case "lambda": {
        const parameters = expression.parameters.map((parameter) => this.#parameter(parameter).print(column));
        const head = parameters.length === 0 ? "lambda" : `lambda ${parameters.join(", ")}`;
        return `${head}: ${this.#expression(expression.body, column)}`;
      }
    }
  }

  #parenthesized(expression: Expression & { readonly kind: "parenthesized" }, column: number): string {
    const { value, start, end } = expression;
    if (value.kind !== "tuple" || value.items.length === 0) {
      return `(${this.#expression(value, column + 1)})`;
    }
    const items = value.items.map((item) => this.#item(item));
    const single = items.length === 1;
    return `(${this.#items(items, start, end - 1, column + 1, single)})`;
  }

  /** Operators whose operands were on different lines stay so. */
  #binary(expression: Expression & { readonly kind: "binary" }, column: number): string {
    const operands: { readonly operator: string; readonly right: Expression; readonly breaks: boolean }[] = [];
    let left: Expression = expression;
    for (; left.kind === "binary"; left = left.left) {
      const between = this.#text.slice(left.left.end, left.right.start);
      const breaks = between.includes("\n") && !between.includes("\\");
      operands.push({ operator: left.operator, right: left.right, breaks });
    }
    let text = this.#expression(left, column);
    for (const { operator, right, breaks } of operands.reverse()) {
      const gap = breaks ? `\n${" ".repeat(column)}` : " ";
      text += ` ${operator}${gap}`;
      text += this.#expression(right, breaks ? column : column + lastWidth(text));
    }
    return text;
  }

  #comprehension(expression: Expression & { readonly kind: "comprehension" }, column: number): string {
    const { body, clauses, start } = expression;
    const isDict = "key" in body;
    const [open, close] = isDict ? "{}" : "[]";
    const first: Item = isDict ? this.#entry(body) : this.#item(body);
    const parts = [
      first,
      ...clauses.map((clause): Item => {
        const print = (at: number): string =>
          clause.kind === "if"
            ? `if ${this.#expression(clause.condition, at + 3)}`
            : `for ${this.#expression(clause.target, at)} in ${this.#expression(clause.iterable, at)}`;
        return { start: clause.start, end: clause.end, print };
      }),
    ];
    const broken = this.#text.slice(start, first.start).includes("\n");
    if (!broken) return `${open}${parts.map((part) => part.print(column + 1)).join(" ")}${close}`;
    this.#depth++;
    const pad = " ".repeat((this.#indent + this.#depth) * indentWidth);
    const lines = parts.map((part) => pad + part.print(pad.length));
    this.#depth--;
    return `${open}\n${lines.join("\n")}\n${pad.slice(indentWidth)}${close}`;
  }

  #item(expression: Expression): Item {
    return { start: expression.start, end: expression.end, print: (column) => this.#expression(expression, column) };
  }

  #entry(entry: DictEntry): Item {
    const { start, end, key, value } = entry;
    const print = (column: number): string => {
      const head = `${this.#expression(key, column)}: `;
      return head + this.#expression(value, column + lastWidth(head));
    };
    return { start, end, print };
  }

  #argument(argument: Argument): Item {
    const { start, end, kind, name, value } = argument;
    const head = kind === "named" ? `${name} = ` : kind === "positional" ? "" : kind;
    return { start, end, print: (column) => head + this.#expression(value, column + head.length) };
  }

  #parameter(parameter: Parameter): Item {
    const { start, end, kind, name, fallback } = parameter;
    const head = `${kind === "*" || kind === "**" ? kind : ""}${name?.name ?? ""}`;
    const print = (column: number): string =>
      fallback === undefined ? head : `${head} = ${this.#expression(fallback, column + head.length + 3)}`;
    return { start, end, print };
  }

  /** The offset of a closing bracket behind white space, comments and a comma. */
  #closing(from: number, bracket: string): number {
    const skipped = /^(?:[\s,\\]|#[^\n]*)*/.exec(this.#text.slice(from))?.[0].length ?? 0;
    const at = from + skipped;
    return this.#text[at] === bracket ? at : this.#text.indexOf(bracket, from);
  }

  /**
   * The items between brackets at `open` and `close`: on one line, or each on its own if the first one was, if there are
   * comments between them, or if the line would be too long.
   */
  #items(items: readonly Item[], open: number, close: number, column: number, keepComma = false): string {
    const [first] = items;
    if (first === undefined) return "";
    const hasComments = this.#comments.some(({ start }) => start > open && start < close);
    const broken = this.#text.slice(open, first.start).includes("\n") || this.#text.slice(open, first.start).includes("#");
    if (!broken && !hasComments) {
      const line = items.map((item) => item.print(column)).join(", ") + (keepComma ? "," : "");
      if (line.includes("\n") || column + line.length < maxWidth) return line;
    }
    if (!broken && hasComments) return items.map((item) => item.print(column)).join(", ") + (keepComma ? "," : "");
    this.#depth++;
    const pad = " ".repeat((this.#indent + this.#depth) * indentWidth);
    const lines: string[] = [];
    for (const [index, item] of items.entries()) {
      this.#commentLines(item.start, pad, lines);
      lines.push(`${pad}${item.print(pad.length)},`);
      const limit = items[index + 1]?.start ?? close;
      const suffix = this.#comments[this.#nextComment];
      if (suffix !== undefined && !suffix.ownLine && suffix.start >= item.end && suffix.start < limit) {
        lines.push(`${lines.pop()}  ${suffix.text}`);
        this.#nextComment++;
      }
    }
    this.#commentLines(close, pad, lines);
    this.#depth--;
    return `\n${lines.join("\n")}\n${" ".repeat((this.#indent + this.#depth) * indentWidth)}`;
  }

  #commentLines(offset: number, pad: string, lines: string[]): void {
    for (let next = this.#comments[this.#nextComment]; next !== undefined; next = this.#comments[this.#nextComment]) {
      if (next.start >= offset || !next.ownLine) return;
      lines.push(pad + next.text);
      this.#nextComment++;
    }
  }
}

/** The length of the last line of a text. */
function lastWidth(text: string): number {
  return text.length - (text.lastIndexOf("\n") + 1);
}
