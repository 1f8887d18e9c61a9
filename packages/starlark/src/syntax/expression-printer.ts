import type { Argument, Comment, DictEntry, Expression, Parameter } from "./ast.ts";

/** The columns of one level, and of a line. */
export const indentWidth = 4;
const maxWidth = 100;

/** Something between brackets: its text, and its place for the comments around it. */
export interface Item {
  readonly start: number;
  readonly end: number;
  readonly print: (column: number) => string;
}

/** Prints expressions, with the comments between their items. */
export class ExpressionPrinter {
  protected readonly text: string;
  protected readonly comments: readonly Comment[];
  /** The comments that are printed already: the comments before this index. */
  protected nextComment = 0;
  protected indent = 0;
  /** How many brackets around the current item have their items on lines of their own. */
  #depth = 0;

  constructor(text: string, comments: readonly Comment[]) {
    this.text = text;
    this.comments = comments;
  }

  protected expression(expression: Expression, column: number): string {
    const { start, end } = expression;
    switch (expression.kind) {
      case "name":
        return expression.name;
      case "literal":
      case "format":
        return this.text.slice(start, end);
      case "parenthesized":
        return this.#parenthesized(expression, column);
      case "tuple":
        if (expression.items.length === 0) return "()";
        return expression.items.map((item) => this.expression(item, column)).join(", ");
      case "list":
        return `[${this.items(
          expression.items.map((item) => this.item(item)),
          start,
          end - 1,
          column + 1,
        )}]`;
      case "dict":
        return `{${this.items(
          expression.entries.map((entry) => this.#entry(entry)),
          start,
          end - 1,
          column + 1,
        )}}`;
      case "comprehension":
        return this.#comprehension(expression, column);
      case "conditional": {
        const { whenTrue, condition, whenFalse } = expression;
        const [first, second, third] = [whenTrue, condition, whenFalse].map((part) =>
          this.expression(part, column),
        );
        return `${first} if ${second} else ${third}`;
      }
      case "unary": {
        const operator = expression.operator === "not" ? "not " : expression.operator;
        return operator + this.expression(expression.operand, column + operator.length);
      }
      case "binary":
        return this.#binary(expression, column);
      case "dot":
        return `${this.expression(expression.object, column)}.${expression.name}`;
      case "index": {
        const object = this.expression(expression.object, column);
        return `${object}[${this.expression(expression.index, column + lastWidth(object) + 1)}]`;
      }
      case "slice": {
        const print = (part: Expression | undefined): string =>
          part === undefined ? "" : this.expression(part, column);
        const object = print(expression.object);
        const bounds = `${print(expression.low)}:${print(expression.high)}`;
        return `${object}[${bounds}${expression.step === undefined ? "" : `:${print(expression.step)}`}]`;
      }
      case "call": {
        const callee = this.expression(expression.callee, column);
        const items = expression.arguments.map((argument) => this.#argument(argument));
        return `${callee}(${this.items(items, expression.at, end - 1, column + lastWidth(callee) + 1)})`;
      }
      case "lambda": {
        const parameters = expression.parameters.map((parameter) =>
          this.parameter(parameter).print(column),
        );
        const head = parameters.length === 0 ? "lambda" : `lambda ${parameters.join(", ")}`;
        return `${head}: ${this.expression(expression.body, column)}`;
      }
    }
  }

  #parenthesized(
    expression: Expression & { readonly kind: "parenthesized" },
    column: number,
  ): string {
    const { value, start, end } = expression;
    if (value.kind !== "tuple" || value.items.length === 0) {
      return `(${this.expression(value, column + 1)})`;
    }
    const items = value.items.map((item) => this.item(item));
    const single = items.length === 1;
    return `(${this.items(items, start, end - 1, column + 1, single)})`;
  }

  /** Operators whose operands were on different lines stay so. */
  #binary(expression: Expression & { readonly kind: "binary" }, column: number): string {
    const operands: {
      readonly operator: string;
      readonly right: Expression;
      readonly breaks: boolean;
    }[] = [];
    let left: Expression = expression;
    for (; left.kind === "binary"; left = left.left) {
      const between = this.text.slice(left.left.end, left.right.start);
      const breaks = between.includes("\n") && !between.includes("\\");
      operands.push({ operator: left.operator, right: left.right, breaks });
    }
    let text = this.expression(left, column);
    for (const { operator, right, breaks } of operands.toReversed()) {
      const gap = breaks ? `\n${" ".repeat(column)}` : " ";
      text += ` ${operator}${gap}`;
      text += this.expression(right, breaks ? column : column + lastWidth(text));
    }
    return text;
  }

  #comprehension(
    expression: Expression & { readonly kind: "comprehension" },
    column: number,
  ): string {
    const { body, clauses, start } = expression;
    const isDict = "key" in body;
    const [open, close] = isDict ? "{}" : "[]";
    const first: Item = isDict ? this.#entry(body) : this.item(body);
    const parts = [
      first,
      ...clauses.map((clause): Item => {
        const print = (at: number): string =>
          clause.kind === "if"
            ? `if ${this.expression(clause.condition, at + 3)}`
            : `for ${this.expression(clause.target, at)} in ${this.expression(clause.iterable, at)}`;
        return { start: clause.start, end: clause.end, print };
      }),
    ];
    const broken = this.text.slice(start, first.start).includes("\n");
    if (!broken) return `${open}${parts.map((part) => part.print(column + 1)).join(" ")}${close}`;
    this.#depth++;
    const pad = " ".repeat((this.indent + this.#depth) * indentWidth);
    const lines = parts.map((part) => pad + part.print(pad.length));
    this.#depth--;
    return `${open}\n${lines.join("\n")}\n${pad.slice(indentWidth)}${close}`;
  }

  protected item(expression: Expression): Item {
    return {
      start: expression.start,
      end: expression.end,
      print: (column) => this.expression(expression, column),
    };
  }

  #entry(entry: DictEntry): Item {
    const { start, end, key, value } = entry;
    const print = (column: number): string => {
      const head = `${this.expression(key, column)}: `;
      return head + this.expression(value, column + lastWidth(head));
    };
    return { start, end, print };
  }

  #argument(argument: Argument): Item {
    const { start, end, kind, name, value } = argument;
    const head = kind === "named" ? `${name} = ` : kind === "positional" ? "" : kind;
    return { start, end, print: (column) => head + this.expression(value, column + head.length) };
  }

  protected parameter(parameter: Parameter): Item {
    const { start, end, kind, name, fallback } = parameter;
    const head = `${kind === "*" || kind === "**" ? kind : ""}${name?.name ?? ""}`;
    const print = (column: number): string =>
      fallback === undefined
        ? head
        : `${head} = ${this.expression(fallback, column + head.length + 3)}`;
    return { start, end, print };
  }

  /**
   * The items between brackets at `open` and `close`: on one line, or each on its own if the first one was, if there are
   * comments between them, or if the line would be too long.
   */
  protected items(
    items: readonly Item[],
    open: number,
    close: number,
    column: number,
    keepComma = false,
  ): string {
    const [first] = items;
    if (first === undefined) return "";
    const hasComments = this.comments.some(({ start }) => start > open && start < close);
    const broken =
      this.text.slice(open, first.start).includes("\n") ||
      this.text.slice(open, first.start).includes("#");
    if (!broken && !hasComments) {
      const line = items.map((item) => item.print(column)).join(", ") + (keepComma ? "," : "");
      if (line.includes("\n") || column + line.length < maxWidth) return line;
    }
    if (!broken && hasComments)
      return items.map((item) => item.print(column)).join(", ") + (keepComma ? "," : "");
    this.#depth++;
    const pad = " ".repeat((this.indent + this.#depth) * indentWidth);
    const lines: string[] = [];
    for (const [index, item] of items.entries()) {
      this.#commentLines(item.start, pad, lines);
      lines.push(`${pad}${item.print(pad.length)},`);
      const limit = items[index + 1]?.start ?? close;
      const suffix = this.comments[this.nextComment];
      if (
        suffix !== undefined &&
        !suffix.ownLine &&
        suffix.start >= item.end &&
        suffix.start < limit
      ) {
        lines.push(`${lines.pop()}  ${suffix.text}`);
        this.nextComment++;
      }
    }
    this.#commentLines(close, pad, lines);
    this.#depth--;
    return `\n${lines.join("\n")}\n${" ".repeat((this.indent + this.#depth) * indentWidth)}`;
  }

  #commentLines(offset: number, pad: string, lines: string[]): void {
    for (
      let next = this.comments[this.nextComment];
      next !== undefined;
      next = this.comments[this.nextComment]
    ) {
      if (next.start >= offset || !next.ownLine) return;
      lines.push(pad + next.text);
      this.nextComment++;
    }
  }
}

/** The length of the last line of a text. */
export function lastWidth(text: string): number {
  return text.length - (text.lastIndexOf("\n") + 1);
}
