import { checkOptions } from "../../contract/check-options.ts";
import { formatValue } from "../../text/format-value.ts";
import { ToolError } from "../../contract/tool-error.ts";

/** Options of a durable run. */
export interface DurableRun {
  /**
   * The number of the process that holds the run, from the engine that drives it. It grows when another process takes
   * the run over: calls of the earlier process are refused then. Default: none, and nothing is compared.
   */
  readonly epoch?: number;
  /**
   * Calls that run again after a process has ended before their outcome was stored. `reads`: those of tools that a
   * trusted source marks as read-only. `idempotent`: also those that it marks as idempotent. Default: `reads`.
   */
  readonly rerun?: "reads" | "idempotent";
  /**
   * True for the id of a call whose tool stores its own progress outside of the ledger, and makes the same calls when it
   * is repeated: a sub-agent whose model answers are journalled. Such a call is not claimed, so that it can be repeated;
   * the calls that it makes are. Only for trusted tools that delegate (`Tool.delegates`). Default: all calls are claimed.
   */
  readonly isJournaled?: (callId: string) => boolean;
}

const optionNames: readonly (keyof DurableRun)[] = ["epoch", "rerun", "isJournaled"];

/**
 * Reads the option `durable` of a run.
 *
 * @param ledger that of the executor.
 * @throws ToolError `invalid_configuration` when it is not valid, or the executor has no ledger.
 */
export function readDurable(durable: unknown, ledger: object | undefined): DurableRun | undefined {
  if (durable === false) return undefined;
  const options = (durable === true ? {} : durable) as DurableRun;
  checkOptions("executor.startRun: durable", options, optionNames);
  const { epoch, rerun, isJournaled } = options;
  if (epoch !== undefined && !(Number.isSafeInteger(epoch) && epoch >= 0)) {
    throw invalid(`durable.epoch is ${formatValue(epoch)}; use a whole number of 0 or more.`);
  }
  if (rerun !== undefined && rerun !== "reads" && rerun !== "idempotent") {
    throw invalid(`durable.rerun is ${formatValue(rerun)}; use "reads" or "idempotent".`);
  }
  if (isJournaled !== undefined && typeof isJournaled !== "function") {
    throw invalid(`durable.isJournaled is ${formatValue(isJournaled)}; use a function.`);
  }
  if (ledger === undefined) {
    throw invalid(
      "durable needs a ledger: new ToolExecutor({ ledger, … }), such as sqliteStore({ path }).ledger.",
    );
  }
  return { ...options };
}

function invalid(what: string): ToolError {
  return new ToolError("invalid_configuration", `executor.startRun: ${what}`);
}
