export { findTests } from "./testing/find-tests.ts";
export type { TestProgram } from "./testing/find-tests.ts";
export { runTests } from "./testing/run-tests.ts";
export type { TestResult, TestRun, TestRunOptions } from "./testing/run-tests.ts";
export type { TestFailure } from "./testing/test-file.ts";
export type { FileCoverage } from "./testing/coverage.ts";
export {
  formatCoverage,
  formatResult,
  formatSummary,
  toJsonReport,
  toJunitReport,
} from "./testing/report.ts";
export { TestWatch } from "./testing/test-watch.ts";
