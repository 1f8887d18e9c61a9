import type { Argument, ComprehensionClause, DictEntry, Expression, Parameter } from "./ast.ts";
import { splitFormat } from "./literals.ts";
import type { TokenKind } from "./scanner.ts";
import { describeToken, TokenReader } from "./token-reader.ts";

/** The levels of precedence of the binary operators, the lowest first; `not` has a level between them. */
const levels = "or; and; not; == != < > <= >= in; |; ^; &; << >>; - +; * % / //".split("; ");
const notLevel = 2;
const comparisonLevel = 3;
const precedences: ReadonlyMap<string, number> = new Map([
  ...levels.flatMap((operators, level) =>
    operators.split(" ").map((word) => [word, level] as const),
  ),
  ["not in", comparisonLevel],
]);

/** How many binary operators may follow each other. */
const maxOperators = 1000;

/** The tokens behind the last comma of a tuple or list. */
const itemEnds: readonly TokenKind[] = ["end of file", "newline", "=", "}", "]", ")", ";"];

/** Reads expressions (specification, "Expressions"). */
export class ExpressionParser extends TokenReader {
  /** An expression, or a tuple without parentheses. */
  protected parseExpression(allowTrailingComma: boolean): Expression {
    return this.#parseTuple(() => this.parseTest(), allowTrailingComma);
  }

  protected parseLoopVariables(): Expression {
    return this.#parseTuple(() => this.parsePrimary(), true);
  }

  #parseTuple(parse: () => Expression, allowTrailingComma: boolean): Expression {
    const first = parse();
    if (!this.at(",")) return first;
    const items = this.#parseItems(first, parse, itemEnds, allowTrailingComma);
    return { kind: "tuple", start: first.start, end: this.end, items };
  }

  /** The items after the first one, and the first one. A comma before a token of `ends` is the last. */
  #parseItems<Item>(
    first: Item,
    parse: () => Item,
    ends: readonly TokenKind[],
    allowTrailingComma = true,
  ): Item[] {
    const items = [first];
    while (this.at(",")) {
      const comma = this.advance();
      if (ends.includes(this.kind)) {
        if (!allowTrailingComma) this.fail("unparenthesized tuple with trailing comma", comma);
        break;
      }
      items.push(parse());
    }
    return items;
  }

  protected parseTest(allowCondition = true): Expression {
    return this.nested(() => {
      if (this.at("lambda")) return this.#parseLambda(allowCondition);
      const whenTrue = this.#parseBinary(0);
      if (!allowCondition || !this.at("if")) return whenTrue;
      const at = this.advance();
      const condition = this.#parseBinary(0);
      if (!this.accept("else")) this.fail("conditional expression without else clause", at);
      const whenFalse = this.parseTest();
      const { start } = whenTrue;
      return { kind: "conditional", start, end: this.end, condition, whenTrue, whenFalse };
    });
  }

  #parseLambda(allowCondition: boolean): Expression {
    const start = this.advance();
    const parameters = this.parseParameters();
    this.expect(":");
    const body = this.parseTest(allowCondition);
    return { kind: "lambda", start, end: this.end, parameters, body };
  }

  /** An expression whose operators have a precedence of at least `minLevel`. */
  #parseBinary(minLevel: number): Expression {
    let left = minLevel <= notLevel && this.at("not") ? this.#parseNot() : this.parsePrimary();
    let previousLevel = -1;
    for (let count = 1; ; count++) {
      const operator = this.#readOperator();
      const level = precedences.get(operator) ?? -1;
      if (level < minLevel) return left;
      if (level !== previousLevel) count = 1;
      else if (level === comparisonLevel && left.kind === "binary")
        this.fail(`${left.operator} does not associate with ${operator} (use parens)`);
      if (count > maxOperators)
        this.fail(`too many operators in one expression (limit ${maxOperators})`);
      previousLevel = level;
      const at = this.advance();
      const right = this.nested(() => this.#parseBinary(level + 1));
      left = { kind: "binary", start: left.start, end: this.end, operator, left, right, at };
    }
  }

  #parseNot(): Expression {
    const start = this.advance();
    const operand = this.nested(() => this.#parseBinary(notLevel));
    return { kind: "unary", start, end: this.end, operator: "not", operand };
  }

  /** The current token, which may be an operator. `not` becomes a part of `not in`. */
  #readOperator(): TokenKind {
    if (this.accept("not")) {
      if (!this.at("in")) this.failExpected("in");
      this.kind = "not in";
    }
    return this.kind;
  }

  /** An operand with its calls, indices and attributes. */
  protected parsePrimary(): Expression {
    let operand = this.#parseOperand();
    for (let count = 1; ; count++) {
      this.limitNesting(count);
      const { kind } = this;
      if (kind === ".") operand = this.#parseDot(operand);
      else if (kind === "[") operand = this.#parseIndex(operand);
      else if (kind === "(") operand = this.#parseCall(operand);
      else return operand;
    }
  }

  #parseDot(object: Expression): Expression {
    const at = this.advance();
    const { name } = this.parseName();
    return { kind: "dot", start: object.start, end: this.end, object, name, at };
  }

  #parseIndex(object: Expression): Expression {
    const at = this.advance();
    const { start } = object;
    const low = this.at(":") ? undefined : this.parseExpression(false);
    if (low !== undefined && this.accept("]"))
      return { kind: "index", start, end: this.end, object, index: low, at };
    const high = this.accept(":") && !this.at(":") && !this.at("]") ? this.parseTest() : undefined;
    const step = this.accept(":") && !this.at("]") ? this.parseTest() : undefined;
    this.expect("]");
    return { kind: "slice", start, end: this.end, object, low, high, step, at };
  }

  #parseCall(callee: Expression): Expression {
    const at = this.advance();
    const list = this.parseSeparated(() => this.#parseArgument());
    this.expect(")");
    return { kind: "call", start: callee.start, end: this.end, callee, arguments: list, at };
  }

  #parseArgument(): Argument {
    const { start, kind } = this;
    if (kind === "*" || kind === "**") {
      this.advance();
      const value = this.parseTest();
      return { kind, start, end: this.end, name: undefined, value };
    }
    const value = this.parseTest();
    if (!this.at("=")) return { kind: "positional", start, end: this.end, name: undefined, value };
    if (value.kind !== "name") this.fail("keyword argument must have form name=expr");
    this.advance();
    const named = this.parseTest();
    return { kind: "named", start, end: this.end, name: value.name, value: named };
  }

  #parseOperand(): Expression {
    const { kind, start } = this;
    if (kind === "identifier") return this.parseName();
    if (this.isFormat()) return this.#parseFormat();
    if (kind.endsWith(" literal")) return this.parseLiteral();
    if (kind === "[") return this.#parseList();
    if (kind === "{") return this.#parseDict();
    if (kind === "(") return this.#parseParentheses();
    if (kind !== "-" && kind !== "+" && kind !== "~") this.failExpected("primary expression");
    this.advance();
    const operand = this.nested(() => this.parsePrimary());
    return { kind: "unary", start, end: this.end, operator: kind, operand };
  }

  protected isFormat(): boolean {
    return this.at("string literal") && this.formatted;
  }

  protected parseLiteral(): Expression<"literal"> {
    const { start, value } = this;
    const token = this.kind as Expression<"literal">["token"];
    this.advance();
    return { kind: "literal", start, end: this.end, token, value };
  }

  #parseParentheses(): Expression {
    const start = this.advance();
    if (this.accept(")")) return { kind: "tuple", start, end: this.end, items: [] };
    const value = this.parseExpression(true);
    this.expect(")");
    return { kind: "parenthesized", start, end: this.end, value };
  }

  #parseList(): Expression {
    const start = this.advance();
    if (this.accept("]")) return { kind: "list", start, end: this.end, items: [] };
    const first = this.parseTest();
    if (this.at("for")) return this.#parseComprehension(start, first, "]");
    const items = this.#parseItems(first, () => this.parseTest(), itemEnds);
    this.expect("]");
    return { kind: "list", start, end: this.end, items };
  }

  #parseDict(): Expression {
    const start = this.advance();
    if (this.accept("}")) return { kind: "dict", start, end: this.end, entries: [] };
    const first = this.#parseEntry();
    if (this.at("for")) return this.#parseComprehension(start, first, "}");
    const entries = this.#parseItems(first, () => this.#parseEntry(), ["}"]);
    this.expect("}");
    return { kind: "dict", start, end: this.end, entries };
  }

  #parseEntry(): DictEntry {
    const key = this.parseTest();
    const at = this.expect(":");
    const value = this.parseTest();
    return { start: key.start, end: this.end, key, value, at };
  }

  #parseComprehension(start: number, body: Expression | DictEntry, close: "]" | "}"): Expression {
    const clauses: ComprehensionClause[] = [];
    while (!this.accept(close)) {
      this.limitNesting(clauses.length + 1);
      const at = this.start;
      if (this.accept("for")) {
        const target = this.parseLoopVariables();
        this.expect("in");
        const iterable = this.nested(() => this.#parseBinary(0));
        clauses.push({ kind: "for", start: at, end: this.end, target, iterable });
      } else if (this.accept("if")) {
        const condition = this.parseTest(false);
        clauses.push({ kind: "if", start: at, end: this.end, condition });
      } else this.failExpected(`'${close}', for, or if`);
    }
    return { kind: "comprehension", start, end: this.end, body, clauses };
  }

  protected parseParameters(): Parameter[] {
    return this.parseSeparated(() => this.#parseParameter(), [":"]);
  }

  #parseParameter(): Parameter {
    const { start, kind } = this;
    if (kind === "*" || kind === "**") {
      this.advance();
      const name = kind === "**" || this.at("identifier") ? this.parseName() : undefined;
      return { kind, start, end: this.end, name, fallback: undefined, at: start };
    }
    const name = this.parseName();
    if (!this.at("="))
      return { kind: "required", start, end: this.end, name, fallback: undefined, at: start };
    const at = this.advance();
    const fallback = this.parseTest();
    return { kind: "optional", start, end: this.end, name, fallback, at };
  }

  /** An f-string: text, and expressions in braces. */
  #parseFormat(): Expression {
    const { start, value: body } = this;
    const quotes = this.text.startsWith(this.text.charAt(start + 1).repeat(3), start + 1) ? 3 : 1;
    const parts = splitFormat(body as string, start + 1 + quotes).map((piece) => {
      if ("text" in piece) return piece.text;
      const text = this.text.slice(0, piece.end);
      const inner = new ExpressionParser(text, { fstrings: true, offset: piece.start });
      inner.advance();
      const value = this.nested(() => inner.parseTest());
      if (!inner.at("end of file")) {
        inner.fail(
          `got ${describeToken(inner.kind)} in an f-string, want '}'; there are no format specifications`,
        );
      }
      return { value, conversion: piece.conversion };
    });
    this.advance();
    return { kind: "format", start, end: this.end, parts };
  }
}
