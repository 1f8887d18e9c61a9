import type {
  Argument,
  ComprehensionClause,
  DictEntry,
  Expression,
  FormatPart,
  NameExpression,
  Parameter,
} from "./ast.ts";
import { unquote } from "./literals.ts";
import { Scanner, SyntaxFault } from "./scanner.ts";
import { comparisonPrecedence, describeToken, notPrecedence, precedenceLevels, precedences } from "./token.ts";
import type { TokenKind } from "./token.ts";

/** How deep expressions and blocks may be nested, and how many binary operators may follow each other. */
export const maxNesting = 200;
const maxOperators = 1000;

/** What every part of the parser needs: the tokens and the limits. */
export interface ParserOptions {
  readonly fstrings: boolean;
}

/** Reads expressions (specification, "Expressions"). */
export class ExpressionParser {
  protected readonly tokens: Scanner;
  protected readonly text: string;
  protected readonly options: ParserOptions;
  #nesting = 0;

  constructor(text: string, options: ParserOptions & { readonly offset?: number }) {
    this.text = text;
    this.options = options;
    this.tokens = new Scanner(text, options);
  }

  protected fail(message: string, offset: number = this.tokens.start): never {
    throw new SyntaxFault(offset, message);
  }

  /** Whether the current token is of a kind. */
  protected at(kind: TokenKind): boolean {
    return this.tokens.kind === kind;
  }

  /** Moves behind the current token. Returns its offset. */
  protected advance(): number {
    const { start } = this.tokens;
    this.tokens.next();
    return start;
  }

  protected expect(kind: TokenKind): number {
    if (!this.at(kind)) {
      this.fail(`got ${describeToken(this.tokens.kind)}, want ${describeToken(kind)}`);
    }
    return this.advance();
  }

  /** Runs `parse` one level deeper. */
  protected nested<Result>(parse: () => Result): Result {
    if (++this.#nesting > maxNesting) this.fail(`the code is nested too deeply (limit ${maxNesting})`);
    try {
      return parse();
    } finally {
      this.#nesting--;
    }
  }

  protected get end(): number {
    return this.tokens.previousEnd;
  }

  protected parseName(): NameExpression {
    const { kind, start, value } = this.tokens;
    if (kind !== "identifier") this.fail("not an identifier");
    this.advance();
    return { kind: "name", start, end: this.end, name: value as string };
  }

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
      const then = this.#parseBinary(0);
      if (!this.at("if")) return then;
      const at = this.advance();
      const condition = this.#parseBinary(0);
      if (!this.at("else")) this.fail("conditional expression without else clause", at);
      this.advance();
      const otherwise = this.parseTest();
      return { kind: "conditional", start: then.start, end: this.end, condition, then, otherwise };
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
      if (count >= maxOperators) this.fail(`too many operators in one expression (limit ${maxOperators})`);
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
        operand = { kind: "dot", start: operand.start, end: this.end, object: operand, name: name.name, at };
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

  #parseLiteral(token: "string literal" | "int literal" | "float literal" | "bytes literal"): Expression {
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
      if (clauses.length >= maxNesting) this.fail(`the code is nested too deeply (limit ${maxNesting})`);
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

  /** An f-string: text, and expressions in braces with the conversions `!r` and `!s`. Braces are doubled to be text. */
  #parseFormat(): Expression {
    const { start, end } = this.tokens;
    const body = this.tokens.value as string;
    const quotes = this.text.startsWith(this.text.charAt(start + 1).repeat(3), start + 1) ? 3 : 1;
    const offset = start + 1 + quotes;
    const parts: FormatPart[] = [];
    let text = "";
    let index = 0;
    const addText = (): void => {
      const content = unquote(text, { raw: false, bytes: false });
      if ("problem" in content) this.fail(content.problem, start);
      if (content.value !== "") parts.push(content.value);
      text = "";
    };
    while (index < body.length) {
      const letter = body[index] as string;
      const doubled = body[index + 1] === letter;
      if (letter === "{" && !doubled) {
        addText();
        index = this.#parseReplacement(body, index, offset, parts);
      } else if ((letter === "{" || letter === "}") && doubled) {
        text += letter;
        index += 2;
      } else if (letter === "}") this.fail("single '}' in f-string", offset + index);
      else {
        const length = letter === "\\" ? 2 : 1;
        text += body.slice(index, index + length);
        index += length;
      }
    }
    addText();
    this.advance();
    return { kind: "format", start, end, parts };
  }

  #parseReplacement(body: string, open: number, offset: number, parts: FormatPart[]): number {
    const close = closingBrace(body, open);
    if (close === -1) this.fail("unmatched '{' in f-string", offset + open);
    const conversion = /!([rs])\s*$/.exec(body.slice(open + 1, close));
    const stop = conversion === null ? close : open + 1 + conversion.index;
    const inner = new ExpressionParser(this.text.slice(0, offset + stop), {
      ...this.options,
      offset: offset + open + 1,
    });
    inner.tokens.next();
    const value = this.nested(() => inner.parseTest());
    if (inner.tokens.kind !== "end of file") {
      inner.fail(`got ${describeToken(inner.tokens.kind)} in an f-string, want '}'; format specifications are not supported`);
    }
    parts.push({ value, conversion: conversion?.[1] === "r" ? "r" : "s" });
    return close + 1;
  }
}

/** The brace that closes the one at `open`, outside of nested brackets and strings; -1 if there is none. */
function closingBrace(body: string, open: number): number {
  let depth = 0;
  let quote = "";
  for (let index = open; index < body.length; index++) {
    const letter = body[index] as string;
    if (quote !== "") {
      if (letter === quote) quote = "";
    } else if (letter === '"' || letter === "'") quote = letter;
    else if ("([{".includes(letter)) depth++;
    else if (")]}".includes(letter) && --depth === 0) return index;
  }
  return -1;
}

function endsItems(kind: TokenKind): boolean {
  return ["end of file", "newline", "=", "}", "]", ")", ";"].includes(kind);
}
