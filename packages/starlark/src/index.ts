export { formatPosition, StarlarkError } from "./values/error.ts";
export type {
  CallFrame,
  SourcePosition,
  SourceProblem,
  StarlarkErrorCode,
} from "./values/error.ts";
export { toHost, toStarlark } from "./host/convert.ts";
export type { HostValue } from "./host/convert.ts";
export { hostFunction, hostModule, valueFunction } from "./host/functions.ts";
export type {
  HostCall,
  HostFunction,
  HostFunctionOptions,
  HostMember,
  ValueCall,
} from "./host/functions.ts";
export { Journal } from "./host/journal.ts";
export type { JournalEntry, JournalState } from "./host/journal.ts";
export { load, Module, run } from "./host/program.ts";
export type { LoadedModule, LoadOptions, RunOptions, RunResult } from "./host/program.ts";
export { compile } from "./host/program.ts";
export type { CompileOptions, Program } from "./host/program.ts";
export { json } from "./lib/json.ts";
export { math } from "./lib/math.ts";
export { Thread } from "./run/thread.ts";
export type { ThreadLimits, ThreadOptions } from "./run/thread.ts";
export { dialects } from "./syntax/tree.ts";
export type { Dialect } from "./syntax/tree.ts";
export { format } from "./syntax/formatter.ts";
export type { FormatOptions } from "./syntax/formatter.ts";
export { parse, walkSyntax } from "./syntax/tree.ts";
export type { ParseOptions, SyntaxNode, SyntaxTree } from "./syntax/tree.ts";
export type { Value } from "./values/value.ts";
