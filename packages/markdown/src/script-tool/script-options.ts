import { ToolError, type Toolset } from "@toolweave/core";
import { checkOptions, checks, isToolName, type OptionChecks } from "@toolweave/core/adapter";
import type { FaultHint } from "./script-fault.ts";

/** The bounds of one script. */
export interface SessionLimits {
  /** Units of work: about one for an operation. Default: 1,000,000. */
  readonly steps?: number;
  /** Calls of tools. Default: 64. */
  readonly calls?: number;
  /** Bytes that the script may allocate. Default: 64 MiB. */
  readonly memoryBytes?: number;
  /** Bytes of the result as JSON. Default: 1 MiB. */
  readonly resultBytes?: number;
  /** Bytes of what the script prints; more is left out. Default: 16 KiB. */
  readonly printedBytes?: number;
  /** Bytes of the results of all calls, which are kept so that the script can wait for a person. Default: 16 MiB. */
  readonly journalBytes?: number;
}

/** How a model runs scripts over its tools. */
export interface ScriptToolOptions {
  /** The name of the tool that runs scripts. Default: `run_script`. */
  readonly name?: string;
  /** The name of the tool that describes the functions. Default: `describe_functions`. */
  readonly describeName?: string;
  readonly limits?: SessionLimits;
  /** Milliseconds for one script, without the time in which it waits for a person. Default: 300,000. */
  readonly timeoutMs?: number;
  /** Scripts call only tools that change nothing, whatever the policy allows: the tool is a read itself. Default: false. */
  readonly readOnly?: boolean;
  /**
   * Returns the tools whose functions the description lists. They are part of the tool's identity: a script that waits for
   * a person cannot continue once they are others. `describeScripts` makes such a description where tools are listed, without
   * that. Default: none are listed.
   */
  readonly toolset?: () => Toolset;
  /** Further advice for faults of scripts. Default: none. */
  readonly hints?: readonly FaultHint[];
}

const optionChecks: OptionChecks<ScriptToolOptions> = {
  name: checks.checkedElsewhere,
  describeName: checks.checkedElsewhere,
  limits: checks.checkedElsewhere,
  timeoutMs: checks.atLeastZero,
  readOnly: checks.flag,
  toolset: checks.callback,
  hints: checks.list(checks.callback),
};

const defaultLimits: Required<SessionLimits> = {
  steps: 1_000_000,
  calls: 64,
  memoryBytes: 64 * 1024 * 1024,
  resultBytes: 1024 * 1024,
  printedBytes: 16 * 1024,
  journalBytes: 16 * 1024 * 1024,
};

/** The options with their defaults. */
export interface ScriptSettings extends ScriptToolOptions {
  readonly name: string;
  readonly describeName: string;
  readonly limits: Required<SessionLimits>;
  readonly timeoutMs: number;
  readonly readOnly: boolean;
}

/** @throws ToolError `invalid_configuration` for an invalid option. */
export function toScriptSettings(options: ScriptToolOptions): ScriptSettings {
  checkOptions("scriptTool", options, optionChecks);
  const { name = "run_script", describeName = "describe_functions", limits = {} } = options;
  const { timeoutMs = 300_000, readOnly = false } = options;
  checkOptions("scriptTool: limits", limits, Object.keys(defaultLimits));
  for (const [key, value] of Object.entries(limits)) {
    if (!(Number.isSafeInteger(value) && value >= 1))
      throw misuse(`limits.${key} is ${String(value)}; use a whole number, 1 or more`);
  }
  if (!isToolName(name) || !isToolName(describeName) || name === describeName)
    throw misuse("name and describeName are two different names of tools");
  return {
    ...options,
    name,
    describeName,
    limits: { ...defaultLimits, ...limits },
    timeoutMs,
    readOnly,
  };
}

function misuse(what: string): ToolError {
  return new ToolError("invalid_configuration", `scriptTool: ${what}.`);
}
