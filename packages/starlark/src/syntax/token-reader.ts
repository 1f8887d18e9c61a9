import type { Expression } from "./ast.ts";
import { Scanner, type TokenKind } from "./scanner.ts";

/** How deep expressions and blocks may be nested. */
const maxNesting = 200;

export class TokenReader extends Scanner {
  #nesting = 0;

  protected failExpected(expected: string): never {
    return this.fail(`got ${describeToken(this.kind)}, want ${expected}`);
  }

  protected at(kind: TokenKind): boolean {
    return this.kind === kind;
  }

  /** Moves behind the current token. Returns its offset. */
  protected advance(): number {
    const { start } = this;
    this.next();
    return start;
  }

  /** Moves behind the current token if it is of a kind. Returns whether it was. */
  protected accept(kind: TokenKind): boolean {
    if (!this.at(kind)) return false;
    this.next();
    return true;
  }

  protected expect(kind: TokenKind): number {
    if (!this.at(kind)) this.failExpected(describeToken(kind));
    return this.advance();
  }

  /** Runs `parse` one level deeper. */
  protected nested<Result>(parse: () => Result): Result {
    this.limitNesting(this.#nesting + 1);
    this.#nesting++;
    try {
      return parse();
    } finally {
      this.#nesting--;
    }
  }

  protected limitNesting(depth: number): void {
    if (depth > maxNesting) this.fail(`the code is nested too deeply (limit ${maxNesting})`);
  }

  protected parseName(): Expression<"name"> {
    const { kind, start, value } = this;
    if (kind !== "identifier") this.fail("not an identifier");
    this.advance();
    return { kind: "name", start, end: this.end, name: value as string };
  }

  /** Items with commas between them, up to `)` or another token of `ends`. */
  protected parseSeparated<Item>(parse: () => Item, ends: readonly TokenKind[] = []): Item[] {
    const items: Item[] = [];
    while (![")", "end of file", ...ends].includes(this.kind)) {
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
