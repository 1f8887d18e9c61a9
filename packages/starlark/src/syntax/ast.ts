/** The tree of a source file. `start` and `end` are offsets; `at` is the offset that errors of the operation name. */
interface Node {
  readonly start: number;
  readonly end: number;
}

/** A node of one of several kinds, each with fields of its own. */
type NodeOf<Fields, Kind extends keyof Fields> = Kind extends keyof Fields
  ? Node & { readonly kind: Kind } & Fields[Kind]
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
export type FormatPart = string | { readonly value: Expression; readonly conversion: "s" | "r" };

/** An entry of a dict. `at` is its colon. */
export interface DictEntry extends Node {
  readonly key: Expression;
  readonly value: Expression;
  readonly at: number;
}

interface ClauseFields {
  for: { readonly target: Expression; readonly iterable: Expression };
  if: { readonly condition: Expression };
}

export type ComprehensionClause = NodeOf<ClauseFields, keyof ClauseFields>;

export interface Argument extends Node {
  readonly kind: "positional" | "named" | "*" | "**";
  readonly name: string | undefined;
  readonly value: Expression;
}

/** A parameter; a bare `*` has no name. `at` is its operator, or its name if it has none. */
export interface Parameter extends Node {
  readonly kind: "required" | "optional" | "*" | "**";
  readonly name: NameExpression | undefined;
  readonly fallback: Expression | undefined;
  readonly at: number;
}

interface Items {
  readonly items: readonly Expression[];
}

interface ExpressionFields {
  name: { readonly name: string; binding?: Binding };
  literal: {
    readonly token: "int literal" | "float literal" | "string literal" | "bytes literal";
    readonly value: string | number | bigint;
  };
  format: { readonly parts: readonly FormatPart[] };
  parenthesized: { readonly value: Expression };
  tuple: Items;
  list: Items;
  dict: { readonly entries: readonly DictEntry[] };
  comprehension: {
    readonly body: Expression | DictEntry;
    readonly clauses: readonly ComprehensionClause[];
  };
  conditional: {
    readonly condition: Expression;
    readonly whenTrue: Expression;
    readonly whenFalse: Expression;
  };
  unary: { readonly operator: "+" | "-" | "~" | "not"; readonly operand: Expression };
  binary: {
    readonly operator: string;
    readonly left: Expression;
    readonly right: Expression;
    readonly at: number;
  };
  dot: { readonly object: Expression; readonly name: string; readonly at: number };
  index: { readonly object: Expression; readonly index: Expression; readonly at: number };
  slice: {
    readonly object: Expression;
    readonly low: Expression | undefined;
    readonly high: Expression | undefined;
    readonly step: Expression | undefined;
    readonly at: number;
  };
  /** `at` is the opening parenthesis. */
  call: {
    readonly callee: Expression;
    readonly arguments: readonly Argument[];
    readonly at: number;
  };
  lambda: {
    readonly parameters: readonly Parameter[];
    readonly body: Expression;
    code?: FunctionScope;
  };
}

type ExpressionKind = keyof ExpressionFields;

/** An expression, of any kind or of one. */
export type Expression<Kind extends ExpressionKind = ExpressionKind> = NodeOf<
  ExpressionFields,
  Kind
>;
export type NameExpression = Expression<"name">;
export type FormatExpression = Expression<"format">;
export type DictExpression = Expression<"dict">;
export type ComprehensionExpression = Expression<"comprehension">;
export type CallExpression = Expression<"call">;
export type LambdaExpression = Expression<"lambda">;

type Statements = readonly Statement[];

interface StatementFields {
  expression: { readonly value: Expression };
  assign: {
    readonly operator: string;
    readonly target: Expression;
    readonly value: Expression;
    readonly at: number;
  };
  def: {
    readonly name: NameExpression;
    readonly parameters: readonly Parameter[];
    readonly body: Statements;
    code?: FunctionScope;
  };
  /** The branches are `if` and every `elif`, in order. */
  if: {
    readonly branches: readonly (Node & StatementFields["while"])[];
    readonly otherwise: Statements | undefined;
  };
  for: { readonly target: Expression; readonly iterable: Expression; readonly body: Statements };
  while: { readonly condition: Expression; readonly body: Statements };
  return: { readonly value: Expression | undefined };
  pass: object;
  break: object;
  continue: object;
  /** The name of the module is a byte string. */
  load: { readonly module: Expression<"literal">; readonly names: readonly LoadedName[] };
}

/** A name as the other module knows it, and the name in this file. */
export interface LoadedName {
  readonly from: NameExpression;
  readonly to: NameExpression;
}

type StatementKind = keyof StatementFields;

/** A statement, of any kind or of one. */
export type Statement<Kind extends StatementKind = StatementKind> = NodeOf<StatementFields, Kind>;
export type AssignStatement = Statement<"assign">;
export type DefStatement = Statement<"def">;
export type IfStatement = Statement<"if">;
export type WhileStatement = Statement<"while">;
export type LoadStatement = Statement<"load">;

/** A function after it is resolved: its slots, and the cells that it takes from the function around it. */
export interface FunctionScope {
  readonly name: string;
  readonly start: number;
  /** The parameters in the order of their slots: positional ones, keyword-only ones, `*args`, `**kwargs`. */
  readonly parameters: readonly Parameter[];
  /** The number of keyword-only parameters. */
  readonly keywordOnly: number;
  /** The variables in the order of their slots, parameters first. */
  readonly locals: { readonly name: string; readonly binding: Binding }[];
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

/** The first operand of a chain of binary operators, which is a deep tree to the left, and the operations on it in order. */
export function flattenOperators(expression: Expression): {
  readonly first: Expression;
  readonly operations: readonly Expression<"binary">[];
} {
  const operations: Expression<"binary">[] = [];
  let first = expression;
  for (; first.kind === "binary"; first = first.left) operations.push(first);
  return { first, operations: operations.toReversed() };
}

type Operands = readonly (Expression | undefined)[];

const operandsByKind: {
  readonly [Kind in ExpressionKind]: (expression: Expression<Kind>) => Operands;
} = {
  name: () => [],
  literal: () => [],
  format: ({ parts }) => parts.map((part) => (typeof part === "string" ? undefined : part.value)),
  parenthesized: ({ value }) => [value],
  tuple: ({ items }) => items,
  list: ({ items }) => items,
  dict: ({ entries }) => entries.flatMap(({ key, value }) => [key, value]),
  comprehension: () => [],
  conditional: ({ condition, whenTrue, whenFalse }) => [condition, whenTrue, whenFalse],
  unary: ({ operand }) => [operand],
  binary(expression) {
    const { first, operations } = flattenOperators(expression);
    return [first, ...operations.map(({ right }) => right)];
  },
  dot: ({ object }) => [object],
  index: ({ object, index }) => [object, index],
  slice: ({ object, low, high, step }) => [object, low, high, step],
  call: (call) => [call.callee, ...call.arguments.map(({ value }) => value)],
  lambda: ({ parameters }) => parameters.map(({ fallback }) => fallback),
};

/**
 * The operands of an expression in their order; those of a chain of operators are one list. Comprehensions and the bodies
 * of functions have scopes of their own: they are not among the operands.
 */
export function operands(expression: Expression): Operands {
  return (operandsByKind[expression.kind] as (expression: Expression) => Operands)(expression);
}
