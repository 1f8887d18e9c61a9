import type {
  AssignStatement,
  BranchStatement,
  DefStatement,
  Expression,
  IfStatement,
  LoadedName,
  LoadStatement,
  NameExpression,
  SourceFile,
  Statement,
} from "./ast.ts";
import { ExpressionParser } from "./expression-parser.ts";
import type { ParserOptions } from "./token-reader.ts";
import { SyntaxFault } from "./scanner.ts";
import { assignmentOperators, describeToken } from "./token.ts";
import { fromUtf8 } from "../values/utf8.ts";

/** A fault with its offset. */
export interface SyntaxProblem {
  readonly offset: number;
  readonly message: string;
}

const maxProblems = 100;

/** The tree of a text and all its faults. With faults, the tree has the statements that could be read. */
export function parseFile(
  text: string,
  options: ParserOptions,
): SourceFile & { readonly problems: SyntaxProblem[] } {
  return new Parser(text, options).parseFile();
}

/** Reads statements (specification, "Statements"). After a fault it continues with the next line. */
class Parser extends ExpressionParser {
  readonly #problems: SyntaxProblem[] = [];

  parseFile(): SourceFile & { readonly problems: SyntaxProblem[] } {
    const statements: Statement[] = [];
    this.#recover(() => this.advance());
    while (!this.at("end of file") && this.#problems.length < maxProblems) {
      const { kind } = this.tokens;
      const skipped =
        kind === "newline" ||
        (this.#problems.length > 0 && (kind === "indent" || kind === "outdent"));
      this.#recover(() => (skipped ? this.advance() : this.#parseStatement(statements)));
    }
    return { statements, comments: this.tokens.comments, problems: this.#problems };
  }

  #recover(parse: () => unknown): void {
    try {
      parse();
    } catch (error) {
      let fault = error;
      while (fault instanceof SyntaxFault) {
        this.#problems.push({ offset: fault.offset, message: fault.message });
        fault = this.#skipLine();
      }
      if (fault !== undefined) throw fault;
    }
  }

  #skipLine(): unknown {
    if (this.#problems.length >= maxProblems) return undefined;
    try {
      this.tokens.skipLine();
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #parseStatement(into: Statement[]): void {
    switch (this.tokens.kind) {
      case "def":
        into.push(this.#parseDef());
        return;
      case "if":
        into.push(this.#parseIf());
        return;
      case "for":
        into.push(this.#parseFor());
        return;
      case "while":
        into.push(this.#parseWhile());
        return;
      default:
        this.#parseSimpleStatement(into);
    }
  }

  #parseDef(): DefStatement {
    const start = this.advance();
    const name = this.parseName();
    this.expect("(");
    const parameters = this.parseParameters();
    this.expect(")");
    const body = this.#parseBlock();
    return { kind: "def", start, end: this.end, name, parameters, body };
  }

  #parseIf(): IfStatement {
    const { start } = this.tokens;
    const branches: IfStatement["branches"][number][] = [];
    do {
      const at = this.advance();
      const condition = this.parseTest();
      const body = this.#parseBlock();
      branches.push({ start: at, end: this.end, condition, body });
    } while (this.at("elif"));
    let otherwise: Statement[] | undefined;
    if (this.at("else")) {
      this.advance();
      otherwise = this.#parseBlock();
    }
    return { kind: "if", start, end: this.end, branches, otherwise };
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
    if (!this.at("newline")) {
      this.#parseSimpleStatement(statements);
      return statements;
    }
    this.advance();
    this.expect("indent");
    this.nested(() => {
      while (!this.at("outdent") && !this.at("end of file")) {
        if (this.#problems.length >= maxProblems) return;
        this.#recover(() => this.#parseStatement(statements));
      }
    });
    const { end } = this;
    if (this.#problems.length === 0) this.expect("outdent");
    else if (this.at("outdent")) this.advance();
    this.tokens.previousEnd = end;
    return statements;
  }

  #parseSimpleStatement(into: Statement[]): void {
    for (;;) {
      into.push(this.#parseSmallStatement());
      if (!this.at(";")) break;
      this.advance();
      if (this.at("newline") || this.at("end of file")) break;
    }
    if (this.at("end of file")) return;
    const { end } = this;
    this.expect("newline");
    this.tokens.previousEnd = end;
  }

  #parseSmallStatement(): Statement {
    const { kind, start } = this.tokens;
    if (kind === "return") {
      this.advance();
      const next = this.tokens.kind;
      const empty = next === "end of file" || next === "newline" || next === ";";
      const value = empty ? undefined : this.parseExpression(false);
      return { kind, start, end: this.end, value };
    }
    if (kind === "break" || kind === "continue" || kind === "pass") {
      this.advance();
      return { kind, start, end: this.end } satisfies BranchStatement;
    }
    if (kind === "load") return this.#parseLoad();
    const target = this.parseExpression(false);
    const operator = this.tokens.kind;
    if (!assignmentOperators.has(operator))
      return { kind: "expression", start, end: this.end, value: target };
    const at = this.advance();
    const value = this.parseExpression(false);
    return {
      kind: "assign",
      start,
      end: this.end,
      operator,
      target,
      value,
      at,
    } satisfies AssignStatement;
  }

  #parseLoad(): LoadStatement {
    const start = this.advance();
    const open = this.expect("(");
    if (!this.#isString()) this.fail("first operand of load statement must be a string literal");
    const module = this.parseStringLiteral();
    const names: LoadedName[] = [];
    while (!this.at(")") && !this.at("end of file")) {
      this.expect(",");
      if (this.at(")")) break;
      names.push(this.#parseLoadedName());
    }
    this.expect(")");
    if (names.length === 0) this.fail("load statement must import at least 1 symbol", open);
    return { kind: "load", start, end: this.end, module, names };
  }

  #parseLoadedName(): LoadedName {
    if (this.#isString()) {
      const name = nameFromLiteral(this.parseStringLiteral());
      return { from: name, to: { ...name } };
    }
    if (!this.at("identifier")) {
      this.fail(
        `load operand must be "name" or localname="name" (got ${describeToken(this.tokens.kind)})`,
      );
    }
    const to = this.parseName();
    if (!this.at("=")) {
      this.fail(
        `load operand must be "${to.name}" or ${to.name}="originalname" (want '=' after ${to.name})`,
      );
    }
    this.advance();
    if (!this.#isString())
      this.fail(`original name of loaded symbol must be quoted: ${to.name}="originalname"`);
    return { from: nameFromLiteral(this.parseStringLiteral()), to };
  }

  #isString(): boolean {
    return this.at("string literal") && !this.tokens.formatted;
  }
}

function nameFromLiteral(literal: Expression & { readonly kind: "literal" }): NameExpression {
  return {
    kind: "name",
    start: literal.start + 1,
    end: literal.end - 1,
    name: fromUtf8(literal.value as string),
  };
}
