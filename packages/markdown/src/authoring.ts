export { checkFile } from "./check/check-file.ts";
export type { CheckedPart, CheckOptions, FileCheck, FileKind } from "./check/check-file.ts";
export { checkPaths, kindOfFile } from "./check/check-folder.ts";
export type { CheckPathsOptions, PathsCheck } from "./check/check-folder.ts";
export { countFindings, formatReport } from "./check/report.ts";
export type { ReportFormat, ReportOptions } from "./check/report.ts";
export type { Reach } from "./check/capabilities.ts";
export { formatFile } from "./check/format-file.ts";
export type { FormattedFile } from "./check/format-file.ts";
export { writeSignature, writeStubs } from "./builtins/stubs.ts";
export { completeName } from "./builtins/complete-name.ts";
export type { NameCompletion } from "./builtins/complete-name.ts";
export { builtins } from "./builtins/table.ts";
export { testFunctions } from "./testing/test-functions.ts";
export type {
  BuiltinFunction,
  BuiltinParameter,
  BuiltinType,
  Capability,
  ScriptKind,
} from "./builtins/builtin.ts";
