export { checkFile } from "./check/check-file.ts";
export type { CheckOptions, FileKind } from "./check/check-file.ts";
export type { CheckedPart, FileCheck } from "./check/file-check.ts";
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
export { ScriptSession } from "./testing/script-session.ts";
export type { SessionOptions } from "./testing/script-session.ts";
export { SessionInput } from "./testing/session-input.ts";
export { effectSource, sessionScope } from "./testing/session-scope.ts";
export type { SessionReach } from "./testing/session-scope.ts";
export { readHookFile, readToolFile } from "./artifact/read-artifact.ts";
