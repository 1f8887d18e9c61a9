import type { NameExpression } from "./ast.ts";
import { Scanner } from "./scanner.ts";
import type { ScannerOptions, TokenKind } from "./scanner.ts";
import { SyntaxFault } from "./source-text.ts";

/** How deep expressions and blocks may be nested. */
const maxNesting = 200;

/** Reads tokens one by one. */
export class TokenReader {
  protected readonly tokens: Scanner;
  protected readonly text: string;
  protected readonly options: ScannerOptions;
  #nesting = 0;

  constructor(text: string, options: ScannerOptions) {
    this.text = text;
    this.options = options;
    this.tokens = new Scanner(text, options);
  }

  protected fail(message: string, offset: number = this.tokens.start): never {
    throw new SyntaxFault(offset, message);
  }

  protected failExpected(expected: string): never {
    return this.fail(`got ${describeToken(this.tokens.kind)}, want ${expected}`);
  }

  protected at(kind: TokenKind): boolean {
    return this.tokens.kind === kind;
  }

  /** Moves behind the current token. Returns its offset. */
  protected advance(): number {
    const { start } = this.tokens;
    this.tokens.next();
    return start;
  }

  /** Moves behind the current token if it is of a kind. Returns whether it was. */
  protected accept(kind: TokenKind): boolean {
    if (!this.at(kind)) return false;
    this.tokens.next();
    return true;
  }

  protected expect(kind: TokenKind): number {
    if (!this.at(kind)) this.failExpected(describeToken(kind));
    return this.advance();
  }

  /** The end of the last token that was read. */
  protected get end(): number {
    return this.tokens.previousEnd;
  }

  /** Runs `parse` one level deeper. */
  protected nested<Result>(parse: () => Result): Result {
    this.#nesting++;
    this.limitNesting(this.#nesting);
    try {
      return parse();
    } finally {
      this.#nesting--;
    }
  }

  protected limitNesting(depth: number): void {
    if (depth > maxNesting) this.fail(`the code is nested too deeply (limit ${maxNesting})`);
  }

  protected parseName(): NameExpression {
    const { kind, start, value } = this.tokens;
    if (kind !== "identifier") this.fail("not an identifier");
    this.advance();
    return { kind: "name", start, end: this.end, name: value as string };
  }

  /** Items with commas between them, up to `)` or another token of `ends`. */
  protected parseSeparated<Item>(parse: () => Item, ends: readonly TokenKind[] = []): Item[] {
    const items: Item[] = [];
    while (![")", "end of file", ...ends].includes(this.tokens.kind)) {
      if (items.length > 0) this.expect(",");
      if (this.at(")")) break;
      items.push(parse());
    }
    return items;
  }
}

/** A token as error messages name it: punctuation in quotes, all else as it is. */
export function describeToken(kind: TokenKind): string {
  return /^[a-z]/.test(kind) ? kind : `'${kind}'`;
}
