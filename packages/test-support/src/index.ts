/** What the tests of several packages use. */
export { compileCache } from "./compile-cache.ts";
export { cpuMilliseconds, linearWorkMs } from "./cpu-time.ts";
export { inFullRun, isFullRun } from "./full-run.ts";
