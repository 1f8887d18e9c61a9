import type { Comment, DictEntry, Expression, LoadedName, Statement } from "./ast.ts";
import type { SyntaxNode } from "./tree.ts";

/** The columns of one level, and of a line. */
const indentWidth = 4;
const maxWidth = 100;

/** A node without a block. */
type Printable =
  | Exclude<SyntaxNode, Statement<"def" | "if" | "for" | "while">>
  | DictEntry
  | LoadedName;

/** Prints everything but blocks, with the comments between the items in brackets. */
export class ExpressionPrinter {
  protected readonly text: string;
  readonly #comments: readonly Comment[];
  /** The comments that are printed already: the comments before this index. */
  #nextComment = 0;
  /** The levels of the current line: the blocks, and the brackets that have their items on lines of their own. */
  protected indent = 0;

  constructor(text: string, comments: readonly Comment[]) {
    this.text = text;
    this.#comments = comments;
  }

  /** The column of the line. */
  protected get column(): number {
    return this.indent * indentWidth;
  }

  protected print(node: Printable, column: number = this.column): string {
    const { start, end } = node;
    const print = (part: Printable | undefined): string =>
      part === undefined ? "" : this.print(part, column);
    if ("key" in node) return this.append(`${print(node.key)}: `, node.value, column);
    if ("from" in node) {
      const quoted = this.text.slice(node.from.start - 1, end);
      return start < node.from.start - 1 ? `${node.to.name} = ${quoted}` : quoted;
    }
    switch (node.kind) {
      case "name":
      case "literal":
      case "format":
      case "pass":
      case "break":
      case "continue":
        return this.text.slice(start, end);
      case "parenthesized": {
        const { value } = node;
        if (value.kind !== "tuple" || value.items.length === 0)
          return `(${this.print(value, column + 1)})`;
        return this.brackets("(", value.items, end, column);
      }
      case "tuple":
        return node.items.length === 0 ? "()" : node.items.map(print).join(", ");
      case "list":
        return this.brackets("[", node.items, end, column);
      case "dict":
        return this.brackets("{", node.entries, end, column);
      case "comprehension":
        return this.#comprehension(node, column);
      case "conditional":
        return `${print(node.whenTrue)} if ${print(node.condition)} else ${print(node.whenFalse)}`;
      case "unary":
        return this.append(node.operator === "not" ? "not " : node.operator, node.operand, column);
      case "binary":
        return this.#binary(node, column);
      case "dot":
        return `${print(node.object)}.${node.name}`;
      case "index":
        return `${this.append(`${print(node.object)}[`, node.index, column)}]`;
      case "slice": {
        const bounds = `${print(node.object)}[${print(node.low)}:${print(node.high)}`;
        return `${bounds}${node.step === undefined ? "" : `:${print(node.step)}`}]`;
      }
      case "call":
        return this.brackets(`${print(node.callee)}(`, node.arguments, end, column);
      case "lambda": {
        const head = `lambda ${node.parameters.map(print).join(", ")}`.trimEnd();
        return `${head}: ${print(node.body)}`;
      }
      case "expression":
        return print(node.value);
      case "assign":
        return this.append(`${print(node.target)} ${node.operator} `, node.value, column);
      case "return":
        return node.value === undefined ? "return" : this.append("return ", node.value, column);
      case "load":
        return this.brackets("load(", [node.module, ...node.names], end, column);
      case "for":
        return `for ${print(node.target)} in ${print(node.iterable)}`;
      case "if":
        return this.append("if ", node.condition, column);
      default: {
        const name = typeof node.name === "object" ? node.name.name : node.name;
        const value = "value" in node ? node.value : node.fallback;
        const head = `${node.kind.startsWith("*") ? node.kind : ""}${name ?? ""}`;
        if (value === undefined) return head;
        return this.append(name === undefined ? head : `${head} = `, value, column);
      }
    }
  }

  /** A text at a column, and an expression behind it. */
  protected append(head: string, expression: Expression, column: number = this.column): string {
    return head + this.print(expression, column + lastWidth(head));
  }

  /** Operators whose operands were on different lines stay so. */
  #binary({ operator, left, right }: Expression<"binary">, column: number): string {
    const between = this.text.slice(left.end, right.start);
    const head = `${this.print(left, column)} ${operator}`;
    if (!between.includes("\n") || between.includes("\\"))
      return this.append(`${head} `, right, column);
    return this.append(`${head}\n${" ".repeat(column)}`, right, 0);
  }

  #comprehension(node: Expression<"comprehension">, column: number): string {
    const parts = [node.body, ...node.clauses];
    const [open, close] = [this.text.charAt(node.start), this.text.charAt(node.end - 1)];
    if (!this.text.slice(node.start, node.body.start).includes("\n"))
      return `${open}${parts.map((part) => this.print(part, column + 1)).join(" ")}${close}`;
    const lines = this.#deeper((pad) => parts.map((part) => pad + this.print(part, pad.length)));
    return open + lines + close;
  }

  /** Lines that are indented one level more than the line before and after them. */
  #deeper(print: (pad: string) => string[]): string {
    this.indent++;
    const pad = " ".repeat(this.column);
    const lines = print(pad).join("\n");
    this.indent--;
    return `\n${lines}\n${pad.slice(indentWidth)}`;
  }

  /**
   * `head`, which ends with an opening bracket, the items, and the closing bracket, behind which `end` is in the text. The
   * items are on one line, or each on its own if the first one was, or if the line would be too long.
   */
  protected brackets(head: string, items: readonly Printable[], end: number, at: number): string {
    const column = at + lastWidth(head);
    const close = this.text.charAt(end - 1);
    const [first] = items;
    if (first === undefined) return head + close;
    const open = this.text.lastIndexOf(head.slice(-1), first.start - 1);
    if (!this.text.slice(open, first.start).includes("\n")) {
      // A tuple of one item needs its comma.
      const comma = head === "(" && items.length === 1 ? "," : "";
      const line = items.map((item) => this.print(item, column)).join(", ") + comma;
      const fits = line.includes("\n") || column + line.length < maxWidth;
      if (fits || this.#comments.some(({ start }) => start > open && start < end))
        return head + line + close;
    }
    return head + this.#deeper((pad) => this.#itemLines(items, end - 1, pad)) + close;
  }

  #itemLines(items: readonly Printable[], close: number, pad: string): string[] {
    const lines: string[] = [];
    const addComments = (end: number): void => {
      for (const { text } of this.takeComments(({ ownLine, start }) => ownLine && start < end))
        lines.push(pad + text);
    };
    for (const [index, item] of items.entries()) {
      addComments(item.start);
      const line = `${pad}${this.print(item, pad.length)},`;
      const limit = items[index + 1]?.start ?? close;
      lines.push(line + this.suffix((start) => start >= item.end && start < limit));
    }
    addComments(close);
    return lines;
  }

  /** The comment behind a line if its place is accepted, with the space before it. */
  protected suffix(accept: (start: number) => boolean): string {
    const [comment] = this.takeComments(({ ownLine, start }) => !ownLine && accept(start));
    return comment === undefined ? "" : `  ${comment.text}`;
  }

  /** The next comments as long as they are accepted; each becomes printed when it is taken. */
  protected *takeComments(accept: (comment: Comment) => boolean): Generator<Comment> {
    for (;;) {
      const comment = this.#comments[this.#nextComment];
      if (comment === undefined || !accept(comment)) return;
      this.#nextComment++;
      yield comment;
    }
  }
}

/** The length of the last line of a text. */
export function lastWidth(text: string): number {
  return text.length - (text.lastIndexOf("\n") + 1);
}
