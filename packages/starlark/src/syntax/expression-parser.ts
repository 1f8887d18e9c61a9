import type { Argument, ComprehensionClause, DictEntry, Expression, Parameter } from "./ast.ts";
import { splitFormat } from "./literals.ts";
import { Scanner } from "./scanner.ts";

/** The binary operators by precedence, the lowest first; `not` has a level between them. */
const levels = "or; and; not; ==, !=, <, >, <=, >=, in, not in; |; ^; &; <<, >>; -, +; *, %, /, //";
const notLevel = 2;
const comparisonLevel = 3;
const precedences: ReadonlyMap<string, number> = new Map(
  levels
    .split("; ")
    .flatMap((operators, level) => operators.split(", ").map((operator) => [operator, level])),
);

/** How many binary operators may follow each other. */
const maxOperators = 1000;
/** How deep expressions and blocks may be nested. */
const maxNesting = 200;

/** The tokens behind the last comma of a tuple or list. */
const itemEnds: readonly string[] = ["end of file", "newline", "=", "}", "]", ")", ";"];

/** Reads expressions (specification, "Expressions"). */
export class ExpressionParser extends Scanner {
  #nesting = 0;

  protected at(...kinds: readonly string[]): boolean {
    return kinds.includes(this.kind);
  }

  /** Moves behind the current token. Returns its offset. */
  protected advance(): number {
    const { start } = this;
    this.next();
    return start;
  }

  /** Moves behind the current token if it is of a kind. Returns whether it was. */
  protected accept(kind: string): boolean {
    if (!this.at(kind)) return false;
    this.next();
    return true;
  }

  protected expect(kind: string): number {
    if (!this.at(kind)) this.#failExpected(describeToken(kind));
    return this.advance();
  }

  #failExpected(expected: string, place: string = ""): never {
    return this.fail(`got ${describeToken(this.kind)}${place}, want ${expected}`);
  }

  /** Runs `parse` one level deeper. */
  protected nested<Result>(parse: () => Result): Result {
    this.#limitNesting(this.#nesting + 1);
    this.#nesting++;
    try {
      return parse();
    } finally {
      this.#nesting--;
    }
  }

  #limitNesting(depth: number): void {
    if (depth > maxNesting) this.fail(`the code is nested too deeply (limit ${maxNesting})`);
  }

  /** Items with commas between them. A comma before a token of `ends` is the last. */
  #parseItems<Item>(parse: () => Item, ends: readonly string[]): [Item, ...Item[]] {
    const items: [Item, ...Item[]] = [parse()];
    while (this.accept(",") && !this.at(...ends)) items.push(parse());
    return items;
  }

  /** Arguments or parameters, up to `)` or another token of `ends`. */
  #parseSeparated<Item>(parse: () => Item, ...ends: string[]): Item[] {
    ends.push(")", "end of file");
    if (this.at(...ends)) return [];
    const items = this.#parseItems(parse, [")"]);
    return this.at(...ends) ? items : this.#failExpected("','");
  }

  /** An expression, or a tuple without parentheses. */
  protected parseExpression(allowTrailingComma = false): Expression {
    return this.#parseTuple(() => this.parseTest(), allowTrailingComma);
  }

  protected parseLoopVariables(): Expression {
    return this.#parseTuple(() => this.#parsePrimary(), true);
  }

  #parseTuple(parse: () => Expression, allowTrailingComma: boolean): Expression {
    const { start } = this;
    const items = this.#parseItems(parse, itemEnds);
    const last = this.end - 1;
    const hasTrailingComma = this.text[last] === ",";
    if (items.length === 1 && !hasTrailingComma) return items[0];
    if (hasTrailingComma && !allowTrailingComma)
      this.fail("unparenthesized tuple with trailing comma", last);
    return { kind: "tuple", start, end: this.end, items };
  }

  protected parseTest(allowCondition = true): Expression {
    return this.nested(() => {
      const { start } = this;
      if (this.accept("lambda")) {
        const parameters = this.parseParameters();
        this.expect(":");
        const body = this.parseTest(allowCondition);
        return { kind: "lambda", start, end: this.end, parameters, body };
      }
      const whenTrue = this.#parseBinary(0);
      if (!allowCondition || !this.at("if")) return whenTrue;
      const at = this.advance();
      const condition = this.#parseBinary(0);
      if (!this.accept("else")) this.fail("conditional expression without else clause", at);
      const whenFalse = this.parseTest();
      return { kind: "conditional", start, end: this.end, whenTrue, condition, whenFalse };
    });
  }

  /** An expression whose operators have a precedence of at least `minLevel`. */
  #parseBinary(minLevel: number): Expression {
    let left =
      minLevel <= notLevel && this.at("not")
        ? this.#parseUnary("not", () => this.#parseBinary(notLevel))
        : this.#parsePrimary();
    let previousLevel = -1;
    for (let count = 1; ; count++) {
      if (this.accept("not")) {
        if (!this.at("in")) this.#failExpected("in");
        this.kind = "not in";
      }
      const operator = this.kind;
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

  #parseUnary(operator: Expression<"unary">["operator"], parse: () => Expression): Expression {
    const start = this.advance();
    const operand = this.nested(parse);
    return { kind: "unary", start, end: this.end, operator, operand };
  }

  /** An operand with its calls, indices and attributes. */
  #parsePrimary(): Expression {
    let operand = this.#parseOperand();
    const { start } = operand;
    for (let count = 1; ; count++) {
      this.#limitNesting(count);
      const at = this.start;
      if (this.accept(".")) {
        const { name } = this.parseName();
        operand = { kind: "dot", start, end: this.end, object: operand, name, at };
      } else if (this.accept("(")) {
        const list = this.#parseSeparated(() => this.#parseArgument());
        this.expect(")");
        operand = { kind: "call", start, end: this.end, callee: operand, arguments: list, at };
      } else if (this.accept("[")) operand = this.#parseIndex(operand, at);
      else return operand;
    }
  }

  #parseIndex(object: Expression, at: number): Expression {
    const { start } = object;
    const low = this.at(":") ? undefined : this.parseExpression();
    if (low !== undefined && this.accept("]"))
      return { kind: "index", start, end: this.end, object, index: low, at };
    const high = this.accept(":") && !this.at(":", "]") ? this.parseTest() : undefined;
    const step = this.accept(":") && !this.at("]") ? this.parseTest() : undefined;
    this.expect("]");
    return { kind: "slice", start, end: this.end, object, low, high, step, at };
  }

  #parseArgument(): Argument {
    const { start } = this;
    const kind = this.#acceptStar();
    const value = this.parseTest();
    if (kind !== undefined || !this.at("="))
      return { kind: kind ?? "positional", start, end: this.end, name: undefined, value };
    if (value.kind !== "name") this.fail("keyword argument must have form name=expr");
    this.advance();
    const named = this.parseTest();
    return { kind: "named", start, end: this.end, name: value.name, value: named };
  }

  protected parseParameters(): Parameter[] {
    return this.#parseSeparated(() => this.#parseParameter(), ":");
  }

  #parseParameter(): Parameter {
    const { start } = this;
    const star = this.#acceptStar();
    const name = star === "*" && !this.at("identifier") ? undefined : this.parseName();
    const isOptional = star === undefined && this.at("=");
    const at = isOptional ? this.advance() : start;
    const fallback = isOptional ? this.parseTest() : undefined;
    const kind = star ?? (isOptional ? "optional" : "required");
    return { kind, start, end: this.end, name, fallback, at };
  }

  #acceptStar(): "*" | "**" | undefined {
    return (["*", "**"] as const).find((star) => this.accept(star));
  }

  #parseOperand(): Expression {
    const { kind, start } = this;
    if (kind === "identifier") return this.parseName();
    if (this.formatStart !== undefined) return this.#parseFormat(this.formatStart);
    if (kind.endsWith(" literal")) return this.parseLiteral();
    if (kind === "-" || kind === "+" || kind === "~")
      return this.#parseUnary(kind, () => this.#parsePrimary());
    if (this.accept("(")) {
      if (this.accept(")")) return { kind: "tuple", start, end: this.end, items: [] };
      const value = this.parseExpression(true);
      this.expect(")");
      return { kind: "parenthesized", start, end: this.end, value };
    }
    if (this.accept("[")) return this.#parseList(start);
    if (this.accept("{")) return this.#parseDict(start);
    return this.#failExpected("primary expression");
  }

  protected parseName(): Expression<"name"> {
    const { kind, start, value } = this;
    if (kind !== "identifier") this.fail("not an identifier");
    this.advance();
    return { kind: "name", start, end: this.end, name: value as string };
  }

  protected parseLiteral(): Expression<"literal"> {
    const { start, value } = this;
    const token = this.kind as Expression<"literal">["token"];
    this.advance();
    return { kind: "literal", start, end: this.end, token, value };
  }

  #parseList(start: number): Expression {
    if (this.accept("]")) return { kind: "list", start, end: this.end, items: [] };
    const items = this.#parseItems(() => this.parseTest(), itemEnds);
    if (this.at("for") && items.length === 1) return this.#parseComprehension(start, items[0], "]");
    this.expect("]");
    return { kind: "list", start, end: this.end, items };
  }

  #parseDict(start: number): Expression {
    if (this.accept("}")) return { kind: "dict", start, end: this.end, entries: [] };
    const entries = this.#parseItems(() => this.#parseEntry(), ["}"]);
    if (this.at("for") && entries.length === 1)
      return this.#parseComprehension(start, entries[0], "}");
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
      this.#limitNesting(clauses.length + 1);
      const at = this.start;
      if (this.accept("for")) {
        const target = this.parseLoopVariables();
        this.expect("in");
        const iterable = this.nested(() => this.#parseBinary(0));
        clauses.push({ kind: "for", start: at, end: this.end, target, iterable });
      } else if (this.accept("if")) {
        const condition = this.parseTest(false);
        clauses.push({ kind: "if", start: at, end: this.end, condition });
      } else this.#failExpected(`'${close}', for, or if`);
    }
    return { kind: "comprehension", start, end: this.end, body, clauses };
  }

  /** An f-string: text, and expressions in braces. */
  #parseFormat(bodyStart: number): Expression {
    const { start, value: body } = this;
    const parts = splitFormat(body as string, bodyStart).map((piece) => {
      if (typeof piece === "string") return piece;
      const text = this.text.slice(0, piece.end);
      const inner = new ExpressionParser(text, { fstrings: true }, piece.start);
      inner.advance();
      const value = this.nested(() => inner.parseTest());
      if (!inner.at("end of file"))
        inner.#failExpected("'}'; there are no format specifications", " in an f-string");
      return { value, conversion: piece.conversion };
    });
    this.advance();
    return { kind: "format", start, end: this.end, parts };
  }
}

/** A token as error messages name it: punctuation in quotes, all else as it is. */
export function describeToken(kind: string): string {
  return /^[a-z]/.test(kind) ? kind : `'${kind}'`;
}
