/** The kinds of tokens; keywords and operators are named by their text. */
export type TokenKind = string;

export const keywords: ReadonlySet<string> = new Set([
  "and",
  "break",
  "continue",
  "def",
  "elif",
  "else",
  "for",
  "if",
  "in",
  "lambda",
  "load",
  "not",
  "or",
  "pass",
  "return",
  "while",
]);

/** Words that Python uses and Starlark reserves (specification, "Lexical elements"). */
export const reservedWords: ReadonlySet<string> = new Set([
  "as",
  "async",
  "await",
  "class",
  "del",
  "except",
  "finally",
  "from",
  "global",
  "import",
  "is",
  "nonlocal",
  "raise",
  "try",
  "with",
  "yield",
]);

const namedKinds: ReadonlySet<string> = new Set([
  "identifier",
  "int literal",
  "float literal",
  "string literal",
  "bytes literal",
  "newline",
  "indent",
  "outdent",
  "end of file",
]);

/** A token as error messages name it: punctuation in quotes, all else as it is. */
export function describeToken(kind: TokenKind): string {
  return namedKinds.has(kind) || keywords.has(kind) || reservedWords.has(kind) ? kind : `'${kind}'`;
}

/** The binary operators by precedence, the lowest first. */
const levels: readonly (readonly string[])[] = [
  ["or"],
  ["and"],
  ["not"],
  ["==", "!=", "<", ">", "<=", ">=", "in", "not in"],
  ["|"],
  ["^"],
  ["&"],
  ["<<", ">>"],
  ["-", "+"],
  ["*", "%", "/", "//"],
];

export const precedences: ReadonlyMap<string, number> = new Map(
  levels.flatMap((operators, level) => operators.map((operator) => [operator, level] as const)),
);

export const precedenceLevels: number = levels.length;
export const notPrecedence = 2;
export const comparisonPrecedence = 3;

export const assignmentOperators: ReadonlySet<string> = new Set([
  "=",
  "+=",
  "-=",
  "*=",
  "/=",
  "//=",
  "%=",
  "&=",
  "|=",
  "^=",
  "<<=",
  ">>=",
]);
