import type { Expression, LoadedName, SourceFile, Statement } from "./ast.ts";
import { ExpressionParser } from "./expression-parser.ts";
import { SyntaxFault, type SyntaxProblem } from "./source-text.ts";
import { describeToken } from "./token-reader.ts";
import { fromUtf8 } from "../values/utf8.ts";

const maxProblems = 100;

const assignmentOperators: ReadonlySet<string> = new Set(
  "= += -= *= /= //= %= &= |= ^= <<= >>=".split(" "),
);

export function parseFile(text: string, options: { readonly fstrings: boolean }): SourceFile {
  return new Parser(text, options).parseFile();
}

/** Reads statements (specification, "Statements"). After a fault it continues with the next line. */
class Parser extends ExpressionParser {
  readonly #problems: SyntaxProblem[] = [];

  parseFile(): SourceFile {
    const statements: Statement[] = [];
    this.#recover(() => this.advance());
    while (!this.at("end of file") && this.#problems.length < maxProblems) {
      const isLayout = this.#problems.length > 0 && ["indent", "outdent"].includes(this.kind);
      const skipped = isLayout || this.at("newline");
      this.#recover(() => (skipped ? this.advance() : this.#parseStatement(statements)));
    }
    return { statements, comments: this.comments, problems: this.#problems };
  }

  #recover(parse: () => unknown): void {
    try {
      parse();
    } catch (error) {
      if (!(error instanceof SyntaxFault)) throw error;
      this.#problems.push({ offset: error.offset, message: error.message });
      // The next line may start with a fault, too.
      if (this.#problems.length < maxProblems) this.#recover(() => this.skipLine());
    }
  }

  #parseStatement(into: Statement[]): void {
    const { kind } = this;
    if (kind === "def") into.push(this.#parseDef());
    else if (kind === "if") into.push(this.#parseIf());
    else if (kind === "for") into.push(this.#parseFor());
    else if (kind === "while") into.push(this.#parseWhile());
    else this.#parseSimpleStatement(into);
  }

  #parseDef(): Statement<"def"> {
    const start = this.advance();
    const name = this.parseName();
    this.expect("(");
    const parameters = this.parseParameters();
    const at = this.expect(")");
    const body = this.#parseBlock();
    return { kind: "def", start, end: this.end, name, parameters, body, at };
  }

  #parseIf(): Statement<"if"> {
    const { start } = this;
    const branches: Statement<"if">["branches"][number][] = [];
    do {
      const branchStart = this.advance();
      const condition = this.parseTest();
      const body = this.#parseBlock();
      branches.push({ start: branchStart, end: this.end, condition, body });
    } while (this.at("elif"));
    const at = this.at("else") ? this.advance() : undefined;
    const otherwise = at === undefined ? undefined : this.#parseBlock();
    return { kind: "if", start, end: this.end, branches, otherwise, at };
  }

  #parseFor(): Statement {
    const start = this.advance();
    const target = this.parseLoopVariables();
    this.expect("in");
    const iterable = this.parseExpression(false);
    const body = this.#parseBlock();
    return { kind: "for", start, end: this.end, target, iterable, body };
  }

  #parseWhile(): Statement {
    const start = this.advance();
    const condition = this.parseTest();
    const body = this.#parseBlock();
    return { kind: "while", start, end: this.end, condition, body };
  }

  /** A colon and the statements that belong to it. */
  #parseBlock(): Statement[] {
    this.expect(":");
    const statements: Statement[] = [];
    if (!this.accept("newline")) {
      this.#parseSimpleStatement(statements);
      return statements;
    }
    this.expect("indent");
    this.nested(() => {
      while (!this.at("outdent") && !this.at("end of file")) {
        if (this.#problems.length >= maxProblems) return;
        this.#recover(() => this.#parseStatement(statements));
      }
    });
    if (!this.accept("outdent") && this.#problems.length === 0) this.expect("outdent");
    return statements;
  }

  #parseSimpleStatement(into: Statement[]): void {
    do into.push(this.#parseSmallStatement());
    while (this.accept(";") && !this.at("newline") && !this.at("end of file"));
    if (!this.at("end of file")) this.expect("newline");
  }

  #parseSmallStatement(): Statement {
    const { kind, start } = this;
    if (kind === "return") {
      this.advance();
      const empty = ["end of file", "newline", ";"].includes(this.kind);
      const value = empty ? undefined : this.parseExpression(false);
      return { kind, start, end: this.end, value };
    }
    if (kind === "break" || kind === "continue" || kind === "pass") {
      this.advance();
      return { kind, start, end: this.end };
    }
    if (kind === "load") return this.#parseLoad();
    const target = this.parseExpression(false);
    const operator = this.kind;
    if (!assignmentOperators.has(operator))
      return { kind: "expression", start, end: this.end, value: target };
    const at = this.advance();
    const value = this.parseExpression(false);
    return { kind: "assign", start, end: this.end, operator, target, value, at };
  }

  #parseLoad(): Statement<"load"> {
    const start = this.advance();
    const open = this.expect("(");
    const module = this.#parseString("first operand of load statement must be a string literal");
    const names: LoadedName[] = [];
    while (!this.at(")") && !this.at("end of file")) {
      this.expect(",");
      if (!this.at(")")) names.push(this.#parseLoadedName());
    }
    this.expect(")");
    if (names.length === 0) this.fail("load statement must import at least 1 symbol", open);
    return { kind: "load", start, end: this.end, module, names };
  }

  #parseLoadedName(): LoadedName {
    if (!this.at("identifier")) {
      const found = describeToken(this.kind);
      const name = this.#parseQuotedName(
        `load operand must be "name" or localname="name" (got ${found})`,
      );
      return { from: name, to: { ...name } };
    }
    const to = this.parseName();
    const example = `${to.name}="originalname"`;
    if (!this.accept("="))
      this.fail(`load operand must be "${to.name}" or ${example} (want '=' after ${to.name})`);
    const from = this.#parseQuotedName(`original name of loaded symbol must be quoted: ${example}`);
    return { from, to };
  }

  #parseQuotedName(problem: string): Expression<"name"> {
    const { start, end, value } = this.#parseString(problem);
    return { kind: "name", start: start + 1, end: end - 1, name: fromUtf8(value as string) };
  }

  /** A string that is not an f-string. */
  #parseString(problem: string): Expression<"literal"> {
    if (!this.at("string literal") || this.isFormat()) this.fail(problem);
    return this.parseLiteral();
  }
}
