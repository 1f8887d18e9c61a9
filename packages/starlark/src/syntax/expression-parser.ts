import type {
  Argument,
  ComprehensionClause,
  DictEntry,
  Expression,
  FormatPart,
  Parameter,
} from "./ast.ts";
import { splitFormat } from "./format-string.ts";
import {
  comparisonPrecedence,
  describeToken,
  notPrecedence,
  precedenceLevels,
  precedences,
} from "./token.ts";
import type { TokenKind } from "./token.ts";
import { maxNesting, TokenReader } from "./token-reader.ts";

/** How many binary operators may follow each other. */
const maxOperators = 1000;

/** Reads expressions (specification, "Expressions"). */
export class ExpressionParser extends TokenReader {
  /** An expression, or a tuple without parentheses. */
  protected parseExpression(allowTrailingComma: boolean): Expression {
    const first = this.parseTest();
    if (!this.at(",")) return first;
    const items = this.#parseItems(first, allowTrailingComma);
    return { kind: "tuple", start: first.start, end: this.end, items };
  }

  #parseItems(first: Expression, allowTrailingComma: boolean): Expression[] {
    const items = [first];
    while (this.at(",")) {
      const comma = this.advance();
      if (endsItems(this.tokens.kind)) {
        if (!allowTrailingComma) this.fail("unparenthesized tuple with trailing comma", comma);
        break;
      }
      items.push(this.parseTest());
    }
    return items;
  }

  protected parseTest(): Expression {
    return this.nested(() => {
      if (this.at("lambda")) return this.#parseLambda(true);
      const whenTrue = this.#parseBinary(0);
      if (!this.at("if")) return whenTrue;
      const at = this.advance();
      const condition = this.#parseBinary(0);
      if (!this.at("else")) this.fail("conditional expression without else clause", at);
      this.advance();
      const whenFalse = this.parseTest();
      return {
        kind: "conditional",
        start: whenTrue.start,
        end: this.end,
        condition,
        whenTrue,
        whenFalse,
      };
    });
  }

  #parseTestWithoutCondition(): Expression {
    return this.nested(() => (this.at("lambda") ? this.#parseLambda(false) : this.#parseBinary(0)));
  }

  #parseLambda(allowCondition: boolean): Expression {
    const start = this.advance();
    const parameters = this.at(":") ? [] : this.parseParameters();
    this.expect(":");
    const body = allowCondition ? this.parseTest() : this.#parseTestWithoutCondition();
    return { kind: "lambda", start, end: this.end, parameters, body };
  }

  #parseBinary(precedence: number): Expression {
    if (precedence >= precedenceLevels) return this.parsePrimary();
    if (precedence === notPrecedence && this.at("not")) {
      const start = this.advance();
      const operand = this.nested(() => this.#parseBinary(precedence));
      return { kind: "unary", start, end: this.end, operator: "not", operand };
    }
    let left = this.#parseBinary(precedence + 1);
    for (let count = 0; ; count++) {
      const operator = this.#binaryOperator();
      const level = operator === undefined ? -1 : (precedences.get(operator) ?? -1);
      if (operator === undefined || level < precedence) return left;
      if (count > 0 && level === comparisonPrecedence) {
        const previous = left.kind === "binary" ? left.operator : "";
        this.fail(`${previous} does not associate with ${operator} (use parens)`);
      }
      if (count >= maxOperators)
        this.fail(`too many operators in one expression (limit ${maxOperators})`);
      const at = this.advance();
      const right = this.nested(() => this.#parseBinary(level + 1));
      left = { kind: "binary", start: left.start, end: this.end, operator, left, right, at };
    }
  }

  /** The operator at the current token. `not` is part of `not in`. */
  #binaryOperator(): string | undefined {
    const { kind } = this.tokens;
    if (kind === "not in") return kind;
    if (kind !== "not") return precedences.has(kind) ? kind : undefined;
    this.advance();
    if (!this.at("in")) this.fail(`got ${describeToken(this.tokens.kind)}, want in`);
    this.tokens.kind = "not in";
    return "not in";
  }

  /** An operand with its calls, indices and attributes. */
  protected parsePrimary(): Expression {
    let operand = this.#parseOperand();
    for (let count = 0; ; count++) {
      if (count >= maxNesting) this.fail(`the code is nested too deeply (limit ${maxNesting})`);
      const { kind } = this.tokens;
      if (kind === ".") {
        const at = this.advance();
        const name = this.parseName();
        operand = {
          kind: "dot",
          start: operand.start,
          end: this.end,
          object: operand,
          name: name.name,
          at,
        };
      } else if (kind === "[") operand = this.#parseIndex(operand);
      else if (kind === "(") operand = this.#parseCall(operand);
      else return operand;
    }
  }

  #parseIndex(object: Expression): Expression {
    const at = this.advance();
    const { start } = object;
    let low: Expression | undefined;
    if (!this.at(":")) {
      low = this.parseExpression(false);
      if (this.at("]")) {
        this.advance();
        return { kind: "index", start, end: this.end, object, index: low, at };
      }
    }
    let high: Expression | undefined;
    let step: Expression | undefined;
    if (this.at(":")) {
      this.advance();
      if (!this.at(":") && !this.at("]")) high = this.parseTest();
    }
    if (this.at(":")) {
      this.advance();
      if (!this.at("]")) step = this.parseTest();
    }
    this.expect("]");
    return { kind: "slice", start, end: this.end, object, low, high, step, at };
  }

  #parseCall(callee: Expression): Expression {
    const at = this.advance();
    const list: Argument[] = [];
    while (!this.at(")") && !this.at("end of file")) {
      if (list.length > 0) this.expect(",");
      if (this.at(")")) break;
      list.push(this.#parseArgument());
    }
    this.expect(")");
    return { kind: "call", start: callee.start, end: this.end, callee, arguments: list, at };
  }

  #parseArgument(): Argument {
    const { start, kind } = this.tokens;
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
    const { kind, start } = this.tokens;
    switch (kind) {
      case "identifier":
        return this.parseName();
      case "string literal":
        if (this.tokens.formatted) return this.#parseFormat();
        return this.#parseLiteral(kind);
      case "int literal":
      case "float literal":
      case "bytes literal":
        return this.#parseLiteral(kind);
      case "[":
        return this.#parseList();
      case "{":
        return this.#parseDict();
      case "(":
        return this.#parseParentheses();
      case "-":
      case "+":
      case "~": {
        this.advance();
        const operand = this.nested(() => this.parsePrimary());
        return { kind: "unary", start, end: this.end, operator: kind, operand };
      }
      default:
        return this.fail(`got ${describeToken(kind)}, want primary expression`);
    }
  }

  #parseLiteral(
    token: "string literal" | "int literal" | "float literal" | "bytes literal",
  ): Expression {
    const { start, value } = this.tokens;
    this.advance();
    return { kind: "literal", start, end: this.end, token, value };
  }

  protected parseStringLiteral(): Expression & { readonly kind: "literal" } {
    return this.#parseLiteral("string literal") as Expression & { readonly kind: "literal" };
  }

  #parseParentheses(): Expression {
    const start = this.advance();
    if (this.at(")")) {
      this.advance();
      return { kind: "tuple", start, end: this.end, items: [] };
    }
    const value = this.parseExpression(true);
    this.expect(")");
    return { kind: "parenthesized", start, end: this.end, value };
  }

  #parseList(): Expression {
    const start = this.advance();
    if (this.at("]")) {
      this.advance();
      return { kind: "list", start, end: this.end, items: [] };
    }
    const first = this.parseTest();
    if (this.at("for")) return this.#parseComprehension(start, first, "]");
    const items = this.#parseItems(first, true);
    this.expect("]");
    return { kind: "list", start, end: this.end, items };
  }

  #parseDict(): Expression {
    const start = this.advance();
    if (this.at("}")) {
      this.advance();
      return { kind: "dict", start, end: this.end, entries: [] };
    }
    const entries = [this.#parseEntry()];
    if (this.at("for")) return this.#parseComprehension(start, entries[0] as DictEntry, "}");
    while (this.at(",")) {
      this.advance();
      if (this.at("}")) break;
      entries.push(this.#parseEntry());
    }
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
    while (this.tokens.kind !== close) {
      if (clauses.length >= maxNesting)
        this.fail(`the code is nested too deeply (limit ${maxNesting})`);
      const { kind } = this.tokens;
      if (kind === "for") {
        const at = this.advance();
        const target = this.parseLoopVariables();
        this.expect("in");
        const iterable = this.nested(() => this.#parseBinary(0));
        clauses.push({ kind, start: at, end: this.end, target, iterable });
      } else if (kind === "if") {
        const at = this.advance();
        const condition = this.#parseTestWithoutCondition();
        clauses.push({ kind, start: at, end: this.end, condition });
      } else this.fail(`got ${describeToken(kind)}, want '${close}', for, or if`);
    }
    this.advance();
    return { kind: "comprehension", start, end: this.end, body, clauses };
  }

  protected parseLoopVariables(): Expression {
    const first = this.parsePrimary();
    if (!this.at(",")) return first;
    const items = [first];
    while (this.at(",")) {
      this.advance();
      if (endsItems(this.tokens.kind)) break;
      items.push(this.parsePrimary());
    }
    return { kind: "tuple", start: first.start, end: this.end, items };
  }

  protected parseParameters(): Parameter[] {
    const parameters: Parameter[] = [];
    while (!this.at(")") && !this.at(":") && !this.at("end of file")) {
      if (parameters.length > 0) this.expect(",");
      if (this.at(")")) break;
      parameters.push(this.#parseParameter());
    }
    return parameters;
  }

  #parseParameter(): Parameter {
    const { start, kind } = this.tokens;
    if (kind === "*" || kind === "**") {
      this.advance();
      const name = kind === "**" || this.at("identifier") ? this.parseName() : undefined;
      return { kind, start, end: this.end, name, fallback: undefined, at: start };
    }
    const name = this.parseName();
    if (!this.at("=")) {
      return { kind: "required", start, end: this.end, name, fallback: undefined, at: start };
    }
    const at = this.advance();
    const fallback = this.parseTest();
    return { kind: "optional", start, end: this.end, name, fallback, at };
  }

  /** An f-string: text, and expressions in braces. */
  #parseFormat(): Expression {
    const { start, end } = this.tokens;
    const body = this.tokens.value as string;
    const quotes = this.text.startsWith(this.text.charAt(start + 1).repeat(3), start + 1) ? 3 : 1;
    const offset = start + 1 + quotes;
    const parts = splitFormat(body, offset).map((piece): FormatPart => {
      if ("text" in piece) return piece.text;
      const inner = new ExpressionParser(this.text.slice(0, piece.end), {
        ...this.options,
        offset: piece.start,
      });
      inner.tokens.next();
      const value = this.nested(() => inner.parseTest());
      if (!inner.at("end of file")) {
        inner.fail(
          `got ${describeToken(inner.tokens.kind)} in an f-string, want '}'; there are no format specifications`,
        );
      }
      return { value, conversion: piece.conversion };
    });
    this.advance();
    return { kind: "format", start, end, parts };
  }
}

function endsItems(kind: TokenKind): boolean {
  return ["end of file", "newline", "=", "}", "]", ")", ";"].includes(kind);
}
