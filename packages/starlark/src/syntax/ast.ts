/** The tree of a source file. `start` and `end` are offsets; `at` is the offset that errors of the operation name. */
interface Node {
  readonly start: number;
  readonly end: number;
}

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

export interface NameExpression extends Node {
  readonly kind: "name";
  readonly name: string;
  binding?: Binding;
}

type LiteralToken = "int literal" | "float literal" | "string literal" | "bytes literal";

interface LiteralExpression extends Node {
  readonly kind: "literal";
  readonly token: LiteralToken;
  readonly value: string | number | bigint;
}

/** A piece of an f-string: text as bytes, or an expression with its conversion. */
export type FormatPart = string | { readonly value: Expression; readonly conversion: "s" | "r" };

export interface FormatExpression extends Node {
  readonly kind: "format";
  readonly parts: readonly FormatPart[];
}

interface ParenthesizedExpression extends Node {
  readonly kind: "parenthesized";
  readonly value: Expression;
}

interface TupleExpression extends Node {
  readonly kind: "tuple";
  readonly items: readonly Expression[];
}

interface ListExpression extends Node {
  readonly kind: "list";
  readonly items: readonly Expression[];
}

export interface DictEntry extends Node {
  readonly key: Expression;
  readonly value: Expression;
  /** The colon. */
  readonly at: number;
}

export interface DictExpression extends Node {
  readonly kind: "dict";
  readonly entries: readonly DictEntry[];
}

export type ComprehensionClause =
  | (Node & { readonly kind: "for"; readonly target: Expression; readonly iterable: Expression })
  | (Node & { readonly kind: "if"; readonly condition: Expression });

export interface ComprehensionExpression extends Node {
  readonly kind: "comprehension";
  readonly body: Expression | DictEntry;
  readonly clauses: readonly ComprehensionClause[];
}

interface ConditionalExpression extends Node {
  readonly kind: "conditional";
  readonly condition: Expression;
  readonly whenTrue: Expression;
  readonly whenFalse: Expression;
}

interface UnaryExpression extends Node {
  readonly kind: "unary";
  readonly operator: "+" | "-" | "~" | "not";
  readonly operand: Expression;
}

interface BinaryExpression extends Node {
  readonly kind: "binary";
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
  readonly at: number;
}

interface DotExpression extends Node {
  readonly kind: "dot";
  readonly object: Expression;
  readonly name: string;
  readonly at: number;
}

interface IndexExpression extends Node {
  readonly kind: "index";
  readonly object: Expression;
  readonly index: Expression;
  readonly at: number;
}

interface SliceExpression extends Node {
  readonly kind: "slice";
  readonly object: Expression;
  readonly low: Expression | undefined;
  readonly high: Expression | undefined;
  readonly step: Expression | undefined;
  readonly at: number;
}

export interface Argument extends Node {
  readonly kind: "positional" | "named" | "*" | "**";
  readonly name: string | undefined;
  readonly value: Expression;
}

export interface CallExpression extends Node {
  readonly kind: "call";
  readonly callee: Expression;
  readonly arguments: readonly Argument[];
  /** The opening parenthesis. */
  readonly at: number;
}

/** A parameter; a bare `*` has no name. */
export interface Parameter extends Node {
  readonly kind: "required" | "optional" | "*" | "**";
  readonly name: NameExpression | undefined;
  readonly fallback: Expression | undefined;
  /** The operator: `=`, `*` or `**`; the name if there is none. */
  readonly at: number;
}

export interface LambdaExpression extends Node {
  readonly kind: "lambda";
  readonly parameters: readonly Parameter[];
  readonly body: Expression;
  code?: FunctionScope;
}

export type Expression =
  | NameExpression
  | LiteralExpression
  | FormatExpression
  | ParenthesizedExpression
  | TupleExpression
  | ListExpression
  | DictExpression
  | ComprehensionExpression
  | ConditionalExpression
  | UnaryExpression
  | BinaryExpression
  | DotExpression
  | IndexExpression
  | SliceExpression
  | CallExpression
  | LambdaExpression;

interface ExpressionStatement extends Node {
  readonly kind: "expression";
  readonly value: Expression;
}

export interface AssignStatement extends Node {
  readonly kind: "assign";
  readonly operator: string;
  readonly target: Expression;
  readonly value: Expression;
  readonly at: number;
}

export interface DefStatement extends Node {
  readonly kind: "def";
  readonly name: NameExpression;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
  code?: FunctionScope;
}

export interface IfStatement extends Node {
  readonly kind: "if";
  /** `if` and every `elif`, in order. */
  readonly branches: readonly (Node & {
    readonly condition: Expression;
    readonly body: readonly Statement[];
  })[];
  readonly otherwise: readonly Statement[] | undefined;
}

interface ForStatement extends Node {
  readonly kind: "for";
  readonly target: Expression;
  readonly iterable: Expression;
  readonly body: readonly Statement[];
}

export interface WhileStatement extends Node {
  readonly kind: "while";
  readonly condition: Expression;
  readonly body: readonly Statement[];
}

interface ReturnStatement extends Node {
  readonly kind: "return";
  readonly value: Expression | undefined;
}

export interface BranchStatement extends Node {
  readonly kind: "pass" | "break" | "continue";
}

/** A name as the other module knows it, and the name in this file. */
export interface LoadedName {
  readonly from: NameExpression;
  readonly to: NameExpression;
}

export interface LoadStatement extends Node {
  readonly kind: "load";
  /** The name of the module as a byte string. */
  readonly module: LiteralExpression;
  readonly names: readonly LoadedName[];
}

export type Statement =
  | ExpressionStatement
  | AssignStatement
  | DefStatement
  | IfStatement
  | ForStatement
  | WhileStatement
  | ReturnStatement
  | BranchStatement
  | LoadStatement;

/** A variable of a function and its slot. */
export interface LocalVariable {
  readonly name: string;
  readonly binding: Binding;
}

/** A function after it is resolved: its slots, and the cells that it takes from the function around it. */
export interface FunctionScope {
  readonly name: string;
  readonly start: number;
  /** The parameters in the order of their slots: positional ones, keyword-only ones, `*args`, `**kwargs`. */
  readonly parameters: readonly Parameter[];
  /** The number of keyword-only parameters. */
  readonly keywordOnly: number;
  /** The variables in the order of their slots, parameters first. */
  readonly locals: LocalVariable[];
  /** The variables of enclosing functions that this one uses, with the place in the function directly around it. */
  readonly free: { readonly name: string; readonly outer: Binding }[];
}

/** A comment: from `#` to the end of the line. */
export interface Comment {
  readonly start: number;
  readonly text: string;
  /** Whether the line has nothing before the comment. */
  readonly ownLine: boolean;
}

export interface SourceFile {
  readonly statements: readonly Statement[];
  readonly comments: readonly Comment[];
}

/** The expression inside of parentheses. */
export function withoutParentheses(expression: Expression): Expression {
  let inner = expression;
  while (inner.kind === "parenthesized") inner = inner.value;
  return inner;
}
