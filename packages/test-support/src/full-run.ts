/**
 * Whether this is a full run (`pnpm test:full`): every matrix, thousands of seeds, real sizes. Everything else is a
 * quick run (`pnpm test`), which samples them. Set by `TOOLWEAVE_FULL=1`.
 */
export const isFullRun: boolean = process.env["TOOLWEAVE_FULL"] === "1";

/** `full` in a full run, `quick` in any other. */
export function inFullRun<Value>(full: Value, quick: Value): Value {
  return isFullRun ? full : quick;
}
