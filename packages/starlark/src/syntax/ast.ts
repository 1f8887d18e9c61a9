import type { SyntaxProblem } from "./source-text.ts";

/** The tree of a source file. `start` and `end` are offsets; `at` is the offset of an operator or bracket. */
interface Node {
  readonly start: number;
  readonly end: number;
}

/** The fields that the resolver adds to nodes of a kind. */
interface ResolvedFields {
  name: { binding?: Binding | undefined };
  lambda: { code?: FunctionScope };
  def: { code?: FunctionScope };
}

/** A node of one of several kinds, each with fields of its own. */
type NodeOf<Fields, Kind extends keyof Fields> = Kind extends keyof Fields
  ? Node & { readonly kind: Kind } & Readonly<Fields[Kind]> &
      (Kind extends keyof ResolvedFields ? ResolvedFields[Kind] : object)
  : never;

/** Where the value of a name is stored, which the resolver decides. */
export interface Binding {
  /**
   * `local`: a slot of the function's frame. `cell`: a slot that holds a cell, since nested functions use the variable.
   * `free`: a cell of an enclosing function. `module`: a variable of the module, a global or the name of a `load`.
   * `predeclared` and `universal`: given by the host and by the language.
   */
  scope: "local" | "cell" | "free" | "module" | "predeclared" | "universal";
  readonly index: number;
}

/** A piece of an f-string: text as bytes, or an expression with its conversion. */
type FormatPart = string | { readonly value: Expression; readonly conversion: "s" | "r" };

/** An entry of a dict. `at` is its colon. */
export interface DictEntry extends Node {
  readonly key: Expression;
  readonly value: Expression;
  readonly at: number;
}

export type ComprehensionClause = NodeOf<
  { for: { target: Expression; iterable: Expression }; if: { condition: Expression } },
  "for" | "if"
>;

export interface Argument extends Node {
  readonly kind: "positional" | "named" | "*" | "**";
  readonly name: string | undefined;
  readonly value: Expression;
}

/** A parameter; a bare `*` has no name. `at` is its operator, or its name if it has none. */
export interface Parameter extends Node {
  readonly kind: "required" | "optional" | "*" | "**";
  readonly name: Expression<"name"> | undefined;
  readonly fallback: Expression | undefined;
  readonly at: number;
}

type Optional = Expression | undefined;

interface ExpressionMap {
  name: { name: string };
  literal: {
    token: `${"int" | "float" | "string" | "bytes"} literal`;
    value: string | number | bigint;
  };
  format: { parts: readonly FormatPart[] };
  parenthesized: { value: Expression };
  tuple: { items: readonly Expression[] };
  list: { items: readonly Expression[] };
  dict: { entries: readonly DictEntry[] };
  comprehension: { body: Expression | DictEntry; clauses: readonly ComprehensionClause[] };
  conditional: { condition: Expression; whenTrue: Expression; whenFalse: Expression };
  unary: { operator: "+" | "-" | "~" | "not"; operand: Expression };
  binary: { operator: string; left: Expression; right: Expression; at: number };
  dot: { object: Expression; name: string; at: number };
  index: { object: Expression; index: Expression; at: number };
  slice: { object: Expression; low: Optional; high: Optional; step: Optional; at: number };
  /** `at` is the opening parenthesis. */
  call: { callee: Expression; arguments: readonly Argument[]; at: number };
  lambda: { parameters: readonly Parameter[]; body: Expression };
}

type ExpressionKind = keyof ExpressionMap;

/** An expression, of any kind or of one. */
export type Expression<Kind extends ExpressionKind = ExpressionKind> = NodeOf<ExpressionMap, Kind>;

type Statements = readonly Statement[];

interface StatementMap {
  expression: { value: Expression };
  assign: { operator: string; target: Expression; value: Expression; at: number };
  /** `at` is the closing parenthesis. */
  def: { name: Expression<"name">; parameters: readonly Parameter[]; body: Statements; at: number };
  /** The branches are `if` and every `elif`, in order. `at` is `else`, if there is one. */
  if: { branches: readonly Branch[]; otherwise: Statements | undefined; at: number | undefined };
  for: { target: Expression; iterable: Expression; body: Statements };
  while: Branch;
  return: { value: Optional };
  pass: object;
  break: object;
  continue: object;
  /** The name of the module is a byte string. */
  load: { module: Expression<"literal">; names: readonly LoadedName[] };
}

/** A condition and the statements that depend on it. */
export interface Branch extends Node {
  readonly condition: Expression;
  readonly body: Statements;
}

/** A name as the other module knows it, and the name in this file. */
export interface LoadedName extends Node {
  readonly from: Expression<"name">;
  readonly to: Expression<"name">;
}

type StatementKind = keyof StatementMap;

/** A statement, of any kind or of one. */
export type Statement<Kind extends StatementKind = StatementKind> = NodeOf<StatementMap, Kind>;

/** A function after it is resolved: its slots, and the cells that it takes from the function around it. */
export interface FunctionScope {
  readonly name: string;
  readonly start: number;
  /** The parameters in the order of their slots: positional ones, keyword-only ones, `*args`, `**kwargs`. */
  readonly parameters: readonly Parameter[];
  /** The number of keyword-only parameters. */
  readonly keywordOnly: number;
  /** The variables in the order of their slots, parameters first. */
  readonly locals: Binding[];
  /** The variables of enclosing functions that this one uses, as the function directly around it stores them. */
  readonly free: Binding[];
}

/** A comment: from `#` to the end of the line. */
export interface Comment {
  readonly start: number;
  readonly text: string;
  /** Whether the line has nothing before the comment. */
  readonly ownLine: boolean;
}

/** The tree of a text and all its faults. With faults, the tree has the statements that could be read. */
export interface SourceFile {
  readonly statements: readonly Statement[];
  readonly comments: readonly Comment[];
  readonly problems: readonly SyntaxProblem[];
}

/** The expression inside of parentheses. */
export function withoutParentheses(expression: Expression): Expression {
  let inner = expression;
  while (inner.kind === "parenthesized") inner = inner.value;
  return inner;
}
