import type { SourcePosition, SourceProblem } from "../values/error.ts";
import { checkValue } from "../values/check-value.ts";
import type { Argument, ComprehensionClause, Expression, Parameter, Statement } from "./ast.ts";
import { parseFile } from "./parser.ts";
import { SourceText } from "./source-text.ts";

/** The features of a source file beyond the default of starlark-go. */
export interface Dialect {
  /** The built-in function `set`. Default: false. */
  readonly set?: boolean;
  /** `while` loops. Default: false. */
  readonly while?: boolean;
  /** `if`, `for` and `while` outside of functions. Default: false. */
  readonly topLevelControl?: boolean;
  /** Global variables that are assigned more than once. Default: false. */
  readonly globalReassign?: boolean;
  /** `load` binds global names instead of names of the file. Default: false. */
  readonly loadBindsGlobally?: boolean;
  /** Functions that call themselves. Default: false. */
  readonly recursion?: boolean;
  /** f-strings with the conversions `!r` and `!s`. Default: false. */
  readonly fstrings?: boolean;
}

/** The dialects with names: `artifact` for tools in files, `session` for a prompt and for code that a model writes. */
export const dialects: Readonly<Record<"artifact" | "session", Dialect>> = {
  artifact: {},
  session: { set: true, while: true, topLevelControl: true, globalReassign: true, fstrings: true },
};

/** Names of all features. */
const features: Readonly<Record<keyof Dialect, true>> = {
  set: true,
  while: true,
  topLevelControl: true,
  globalReassign: true,
  loadBindsGlobally: true,
  recursion: true,
  fstrings: true,
};

/**
 * The options of a dialect, by name or as they are.
 *
 * @throws TypeError for an unknown name or feature.
 */
export function toDialect(dialect: Dialect | keyof typeof dialects | undefined): Dialect {
  if (dialect === undefined) return {};
  if (typeof dialect === "string") {
    checkValue(Object.hasOwn(dialects, dialect), "dialect", dialect, '"artifact" or "session"');
    return dialects[dialect];
  }
  const isObject = typeof dialect === "object" && dialect !== null;
  checkValue(isObject, "dialect", dialect, "an object of features");
  for (const [name, value] of Object.entries(dialect)) {
    const names = Object.keys(features);
    checkValue(names.includes(name), "dialect: the feature", name, names.join(", "));
    checkValue(value === undefined || typeof value === "boolean", name, value, "true or false");
  }
  return dialect;
}

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
  const { statements, problems } = parseFile(text, toDialect(dialect));
  const position = (offset: number): SourcePosition => source.position(offset);
  return { text, statements, problems: source.toProblems(problems), position };
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
    // The parser adds the parts of a node in the order of the text.
    for (const [key, part] of Object.entries(value).toReversed() as [string, unknown][]) {
      // Entries of the resolver are no syntax.
      const isPart = typeof part === "object" && part !== null;
      if (isPart && key !== "binding" && key !== "code") waiting.push(part);
    }
  }
}

function isNode(value: object): value is SyntaxNode {
  return "kind" in value && "start" in value;
}
