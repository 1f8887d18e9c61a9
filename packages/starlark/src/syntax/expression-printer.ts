import type { Argument, Comment, DictEntry, Expression, Node, Parameter } from "./ast.ts";

/** The columns of one level, and of a line. */
const indentWidth = 4;
const maxWidth = 100;

/** Something between brackets: its text, and its place for the comments around it. */
export interface Item extends Node {
  readonly print: (column: number) => string;
}

/** Prints expressions, with the comments between their items. */
export class ExpressionPrinter {
  protected readonly text: string;
  readonly #comments: readonly Comment[];
  /** The comments that are printed already: the comments before this index. */
  #nextComment = 0;
  protected indent = 0;
  /** How many brackets around the current item have their items on lines of their own. */
  #depth = 0;

  constructor(text: string, comments: readonly Comment[]) {
    this.text = text;
    this.#comments = comments;
  }

  /** The column of the statement. */
  protected get column(): number {
    return this.indent * indentWidth;
  }

  protected expression(expression: Expression, column: number = this.column): string {
    const { start, end } = expression;
    const print = (part: Expression | undefined): string =>
      part === undefined ? "" : this.expression(part, column);
    switch (expression.kind) {
      case "name":
        return expression.name;
      case "literal":
      case "format":
        return this.text.slice(start, end);
      case "parenthesized": {
        const { value } = expression;
        if (value.kind !== "tuple" || value.items.length === 0)
          return `(${this.expression(value, column + 1)})`;
        return this.brackets("(", this.#items(value.items), expression, column);
      }
      case "tuple":
        return expression.items.length === 0 ? "()" : expression.items.map(print).join(", ");
      case "list":
        return this.brackets("[", this.#items(expression.items), expression, column);
      case "dict": {
        const entries = expression.entries.map((entry) => this.#entry(entry));
        return this.brackets("{", entries, expression, column);
      }
      case "comprehension":
        return this.#comprehension(expression, column);
      case "conditional": {
        const { whenTrue, condition, whenFalse } = expression;
        return `${print(whenTrue)} if ${print(condition)} else ${print(whenFalse)}`;
      }
      case "unary": {
        const operator = expression.operator === "not" ? "not " : expression.operator;
        return this.append(operator, expression.operand, column);
      }
      case "binary":
        return this.#binary(expression, column);
      case "dot":
        return `${print(expression.object)}.${expression.name}`;
      case "index":
        return `${this.append(`${print(expression.object)}[`, expression.index, column)}]`;
      case "slice": {
        const { object, low, high, step } = expression;
        const bounds = `${print(object)}[${print(low)}:${print(high)}`;
        return `${bounds}${step === undefined ? "" : `:${print(step)}`}]`;
      }
      case "call": {
        const items = expression.arguments.map((argument) => this.#argument(argument));
        const head = `${print(expression.callee)}(`;
        return this.brackets(head, items, { start: expression.at, end }, column);
      }
      case "lambda": {
        const parameters = expression.parameters.map((parameter) =>
          this.parameter(parameter).print(column),
        );
        const head = parameters.length === 0 ? "lambda" : `lambda ${parameters.join(", ")}`;
        return `${head}: ${print(expression.body)}`;
      }
    }
  }

  /** A text at a column, and an expression behind it. */
  protected append(head: string, expression: Expression, column: number = this.column): string {
    return head + this.expression(expression, column + lastWidth(head));
  }

  /** Operators whose operands were on different lines stay so. */
  #binary({ operator, left, right }: Expression<"binary">, column: number): string {
    const between = this.text.slice(left.end, right.start);
    const breaks = between.includes("\n") && !between.includes("\\");
    const head = `${this.expression(left, column)} ${operator}`;
    const text = `${head}${breaks ? `\n${" ".repeat(column)}` : " "}`;
    return text + this.expression(right, breaks ? column : column + lastWidth(text));
  }

  #comprehension(
    { body, clauses, start, end }: Expression<"comprehension">,
    column: number,
  ): string {
    const parts = [
      "key" in body ? this.#entry(body) : this.item(body, "", body),
      ...clauses.map((clause): Item => {
        if (clause.kind === "if") return this.item(clause, "if ", clause.condition);
        const { target, iterable } = clause;
        const print = (at: number): string =>
          `for ${this.expression(target, at)} in ${this.expression(iterable, at)}`;
        return { start: clause.start, end: clause.end, print };
      }),
    ];
    const [open, close] = [this.text.charAt(start), this.text.charAt(end - 1)];
    if (!this.text.slice(start, body.start).includes("\n"))
      return `${open}${parts.map((part) => part.print(column + 1)).join(" ")}${close}`;
    return open + this.#deeper((pad) => parts.map((part) => pad + part.print(pad.length))) + close;
  }

  /** Lines that are indented one level more than the line before and after them. */
  #deeper(print: (pad: string) => string[]): string {
    this.#depth++;
    const pad = " ".repeat(this.column + this.#depth * indentWidth);
    const lines = print(pad).join("\n");
    this.#depth--;
    return `\n${lines}\n${pad.slice(indentWidth)}`;
  }

  protected item(place: Node, head: string, value?: Expression): Item {
    const { start, end } = place;
    const print = (column: number): string =>
      value === undefined ? head : this.append(head, value, column);
    return { start, end, print };
  }

  #items(expressions: readonly Expression[]): Item[] {
    return expressions.map((expression) => this.item(expression, "", expression));
  }

  #entry({ start, end, key, value }: DictEntry): Item {
    const print = (column: number): string =>
      this.append(`${this.expression(key, column)}: `, value, column);
    return { start, end, print };
  }

  #argument(argument: Argument): Item {
    const { kind, name, value } = argument;
    const head = kind === "named" ? `${name} = ` : kind === "positional" ? "" : kind;
    return this.item(argument, head, value);
  }

  protected parameter(parameter: Parameter): Item {
    const { kind, name, fallback } = parameter;
    const head = `${kind === "*" || kind === "**" ? kind : ""}${name?.name ?? ""}`;
    return this.item(parameter, fallback === undefined ? head : `${head} = `, fallback);
  }

  /**
   * `head`, which ends with an opening bracket, the items, and the closing bracket. In the text, the brackets and the items
   * are at `start` and `end`. The items are on one line, or each on its own if the first one was, or if the line would be too long.
   */
  protected brackets(
    head: string,
    items: readonly Item[],
    { start, end }: Node,
    at: number = this.column,
  ): string {
    const column = at + lastWidth(head);
    const close = this.text.charAt(end - 1);
    const [first] = items;
    if (first === undefined) return head + close;
    if (!/[\n#]/.test(this.text.slice(start, first.start))) {
      // A tuple of one item needs its comma.
      const comma = head === "(" && items.length === 1 ? "," : "";
      const line = items.map((item) => item.print(column)).join(", ") + comma;
      const fits = line.includes("\n") || column + line.length < maxWidth;
      if (fits || this.#comments.some((comment) => comment.start > start && comment.start < end))
        return head + line + close;
    }
    return head + this.#deeper((pad) => this.#itemLines(items, end - 1, pad)) + close;
  }

  #itemLines(items: readonly Item[], close: number, pad: string): string[] {
    const lines: string[] = [];
    const addComments = (end: number): void => {
      const comments = this.takeComments((comment) => comment.ownLine && comment.start < end);
      lines.push(...comments.map(({ text }) => pad + text));
    };
    for (const [index, item] of items.entries()) {
      addComments(item.start);
      const line = `${pad}${item.print(pad.length)},`;
      const limit = items[index + 1]?.start ?? close;
      const [suffix] = this.takeComments(
        ({ ownLine, start }) => !ownLine && start >= item.end && start < limit,
        1,
      );
      lines.push(suffix === undefined ? line : `${line}  ${suffix.text}`);
    }
    addComments(close);
    return lines;
  }

  /** The next comments as long as they are accepted; they become printed. */
  protected takeComments(accept: (comment: Comment) => boolean, max: number = Infinity): Comment[] {
    const limit = Math.min(this.#comments.length, this.#nextComment + max);
    const first = this.#nextComment;
    while (this.#nextComment < limit && accept(this.#comments[this.#nextComment] as Comment))
      this.#nextComment++;
    return this.#comments.slice(first, this.#nextComment);
  }
}

/** The length of the last line of a text. */
function lastWidth(text: string): number {
  return text.length - (text.lastIndexOf("\n") + 1);
}
