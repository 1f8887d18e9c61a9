import type { SourcePosition, SourceProblem } from "../values/error.ts";
import type { Argument, ComprehensionClause, Expression, Parameter, Statement } from "./ast.ts";
import { type Dialect, toDialect } from "./dialect.ts";
import { parseFile } from "./parser.ts";
import { SourceText } from "./source-text.ts";

/** How a text is parsed. */
export interface ParseOptions {
  /** The name of the file in positions. Default: `script.star`. */
  readonly file?: string;
  /**
   * The place of the text in the file, if it is a part of one: positions are those of the file. Every line begins at the
   * same column. Default: line 1, column 1.
   */
  readonly start?: Pick<SourcePosition, "line" | "column">;
  /** The features of the file: `artifact`, `session`, or single options. Default: `artifact`. */
  readonly dialect?: Dialect | "artifact" | "session";
}

/** One node of a syntax tree; `start` and `end` are offsets in the text. */
export type SyntaxNode = Expression | Statement | Argument | Parameter | ComprehensionClause;

/** The tree of a text, for tools that read programs and do not run them. */
export interface SyntaxTree {
  readonly text: string;
  /** The statements, without those that have a fault. */
  readonly statements: readonly Statement[];
  /** The faults of the syntax; faults of names are found by `compile`. */
  readonly problems: readonly SourceProblem[];
  /** The place of an offset. */
  position(offset: number): SourcePosition;
}

/** Parses a text without resolving its names. Never fails for a text that is invalid. */
export function parse(text: string, options: ParseOptions = {}): SyntaxTree {
  const { file = "script.star", start, dialect } = options;
  const source = new SourceText(file, text, start);
  const parsed = parseFile(text, { fstrings: toDialect(dialect).fstrings === true });
  return {
    text,
    statements: parsed.statements,
    problems: source.toProblems(parsed.problems),
    position: (offset) => source.position(offset),
  };
}

/**
 * Visits nodes and everything in them, in the order of the text; the outer ones first. It needs no deep stack.
 *
 * @param enters whether the parts of a node are visited, too. Default: those of every node.
 */
export function* walkSyntax(
  root: SyntaxNode | readonly SyntaxNode[],
  enters: (node: SyntaxNode) => boolean = () => true,
): Generator<SyntaxNode> {
  const waiting: object[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (isNode(value)) {
      yield value;
      if (!enters(value)) continue;
    }
    for (const part of partsOf(value).toReversed()) waiting.push(part);
  }
}

/** The objects inside of a node, or of a list, in the order of the text. */
function partsOf(value: object): object[] {
  const parts: object[] = [];
  for (const [key, part] of Object.entries(value) as [string, unknown][]) {
    // Entries of the resolver are no syntax.
    if (key === "binding" || key === "code" || typeof part !== "object") continue;
    const objects = (Array.isArray(part) ? part : [part]) as unknown[];
    for (const inner of objects) if (typeof inner === "object" && inner !== null) parts.push(inner);
  }
  return parts.sort((left, right) => startOf(left) - startOf(right));
}

function startOf({ start = 0 }: { readonly start?: number }): number {
  return start;
}

function isNode(value: object): value is SyntaxNode {
  return "kind" in value && "start" in value;
}
