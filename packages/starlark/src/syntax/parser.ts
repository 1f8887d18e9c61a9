import type { Branch, Expression, LoadedName, SourceFile, Statement } from "./ast.ts";
import { describeToken, ExpressionParser } from "./expression-parser.ts";
import { SyntaxFault, type SyntaxProblem } from "./source-text.ts";
import { fromUtf8 } from "../values/utf8.ts";

const maxProblems = 100;

const assignmentOperators: ReadonlySet<string> = new Set(
  "= += -= *= /= //= %= &= |= ^= <<= >>=".split(" "),
);

export function parseFile(text: string, dialect: { readonly fstrings?: boolean }): SourceFile {
  return new Parser(text, dialect).parseFile();
}

/** Reads statements (specification, "Statements"). After a fault it continues with the next line. */
class Parser extends ExpressionParser {
  readonly #problems: SyntaxProblem[] = [];

  parseFile(): SourceFile {
    const statements: Statement[] = [];
    while (!this.at("end of file") && this.#problems.length < maxProblems) {
      const isLayout = this.#problems.length > 0 && this.at("indent", "outdent");
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
      this.#problems.push(error);
      // The next line may start with a fault, too.
      if (this.#problems.length < maxProblems) this.#recover(() => this.skipLine());
    }
  }

  #parseStatement(into: Statement[]): void {
    const { kind, start } = this;
    if (kind === "def") {
      this.advance();
      const name = this.parseName();
      this.expect("(");
      const parameters = this.parseParameters();
      const at = this.expect(")");
      const body = this.#parseBlock();
      into.push({ kind, start, end: this.end, name, parameters, body, at });
    } else if (kind === "if") {
      const branches = [this.#parseBranch()];
      while (this.at("elif")) branches.push(this.#parseBranch());
      const at = this.at("else") ? this.advance() : undefined;
      const otherwise = at === undefined ? undefined : this.#parseBlock();
      into.push({ kind, start, end: this.end, branches, otherwise, at });
    } else if (kind === "for") {
      this.advance();
      const target = this.parseLoopVariables();
      this.expect("in");
      const iterable = this.parseExpression();
      const body = this.#parseBlock();
      into.push({ kind, start, end: this.end, target, iterable, body });
    } else if (kind === "while") into.push({ kind, ...this.#parseBranch() });
    else this.#parseSimpleStatement(into);
  }

  /** A keyword, a condition, and the statements that depend on it. */
  #parseBranch(): Branch {
    const start = this.advance();
    const condition = this.parseTest();
    const body = this.#parseBlock();
    return { start, end: this.end, condition, body };
  }

  /** A colon and the statements that belong to it. */
  #parseBlock(): Statement[] {
    this.expect(":");
    const statements: Statement[] = [];
    if (this.accept("newline")) {
      this.expect("indent");
      this.nested(() => {
        while (!this.at("outdent", "end of file") && this.#problems.length < maxProblems)
          this.#recover(() => this.#parseStatement(statements));
      });
      this.accept("outdent");
    } else this.#parseSimpleStatement(statements);
    return statements;
  }

  #parseSimpleStatement(into: Statement[]): void {
    do into.push(this.#parseSmallStatement());
    while (this.accept(";") && !this.at("newline", "end of file"));
    if (!this.at("end of file")) this.expect("newline");
  }

  #parseSmallStatement(): Statement {
    const { kind, start } = this;
    if (kind === "load") return this.#parseLoad();
    if (kind === "return") {
      this.advance();
      const value = this.at("end of file", "newline", ";") ? undefined : this.parseExpression();
      return { kind, start, end: this.end, value };
    }
    if (kind === "break" || kind === "continue" || kind === "pass") {
      this.advance();
      return { kind, start, end: this.end };
    }
    const target = this.parseExpression();
    const operator = this.kind;
    if (!assignmentOperators.has(operator))
      return { kind: "expression", start, end: this.end, value: target };
    const at = this.advance();
    const value = this.parseExpression();
    return { kind: "assign", start, end: this.end, target, operator, value, at };
  }

  #parseLoad(): Statement<"load"> {
    const start = this.advance();
    const open = this.expect("(");
    const module = this.#parseString("first operand of load statement must be a string literal");
    const names: LoadedName[] = [];
    while (!this.at(")", "end of file")) {
      this.expect(",");
      if (!this.at(")")) names.push(this.#parseLoadedName());
    }
    this.expect(")");
    if (names.length === 0) this.fail("load statement must import at least 1 symbol", open);
    return { kind: "load", start, end: this.end, module, names };
  }

  #parseLoadedName(): LoadedName {
    const { start } = this;
    const local = this.at("identifier") ? this.parseName() : undefined;
    const got = describeToken(this.kind);
    let problem = `load operand must be "name" or localname="name" (got ${got})`;
    if (local !== undefined) {
      const { name } = local;
      const example = `${name}="originalname"`;
      problem = `original name of loaded symbol must be quoted: ${example}`;
      if (!this.accept("="))
        this.fail(`load operand must be "${name}" or ${example} (want '=' after ${name})`);
    }
    const quoted = this.#parseString(problem);
    const name = fromUtf8(quoted.value as string);
    const from = { kind: "name", start: quoted.start + 1, end: quoted.end - 1, name } as const;
    return { start, end: this.end, to: local ?? { ...from }, from };
  }

  /** A string that is not an f-string. */
  #parseString(problem: string): Expression<"literal"> {
    if (!this.at("string literal") || this.formatStart !== undefined) this.fail(problem);
    return this.parseLiteral();
  }
}
