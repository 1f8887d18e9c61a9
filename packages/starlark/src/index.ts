export { formatPosition, StarlarkError } from "./values/error.ts";
export type {
  CallFrame,
  SourcePosition,
  SourceProblem,
  StarlarkErrorCode,
} from "./values/error.ts";
export { type HostValue, toHost, toStarlark } from "./host/convert.ts";
export { hostFunction, hostModule, valueFunction } from "./host/functions.ts";
export type {
  HostCall,
  HostFunction,
  HostFunctionOptions,
  HostMember,
  ValueCall,
} from "./host/functions.ts";
export { Journal, type JournalEntry, type JournalState } from "./host/journal.ts";
export { compile, load, Module, run } from "./host/program.ts";
export type { CompileOptions, LoadedModule, LoadOptions } from "./host/program.ts";
export type { Program, RunOptions, RunResult } from "./host/program.ts";
export { json } from "./lib/json.ts";
export { math } from "./lib/math.ts";
export { Thread, type ThreadLimits, type ThreadOptions } from "./run/thread.ts";
export { type Dialect, dialects, parse, walkSyntax } from "./syntax/tree.ts";
export type { ParseOptions, SyntaxNode, SyntaxTree } from "./syntax/tree.ts";
export { format, type FormatOptions } from "./syntax/formatter.ts";
export type { Value } from "./values/value.ts";
