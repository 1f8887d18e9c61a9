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

/** The options of a dialect, by name or as they are. */
export function toDialect(dialect: Dialect | keyof typeof dialects | undefined): Dialect {
  return typeof dialect === "string" ? dialects[dialect] : (dialect ?? {});
}
