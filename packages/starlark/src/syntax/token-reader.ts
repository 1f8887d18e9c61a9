import type { NameExpression } from "./ast.ts";
import { Scanner, SyntaxFault } from "./scanner.ts";
import { describeToken } from "./token.ts";
import type { TokenKind } from "./token.ts";

/** How deep expressions and blocks may be nested. */
export const maxNesting = 200;

/** The options of the parser. */
export interface ParserOptions {
  readonly fstrings: boolean;
}

/** Reads tokens one by one. */
export class TokenReader {
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
    if (++this.#nesting > maxNesting)
      this.fail(`the code is nested too deeply (limit ${maxNesting})`);
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
}
