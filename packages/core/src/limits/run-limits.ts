import { ToolError } from "../tool-error.ts";

/** How much a run may do. Absent: as much as it likes. */
export interface RunLimits {
  /** Calls in all. */
  readonly calls?: number;
  /** Calls of any one tool. */
  readonly callsPerTool?: number;
}

/** A limit that is no number would never be reached. */
export function checkedLimits(limits: RunLimits): RunLimits {
  for (const [name, value] of Object.entries(limits) as [string, number | undefined][]) {
    if (value !== undefined && !(value >= 0)) {
      throw new ToolError("internal", `limits.${name} is ${value}; use 0 or more.`);
    }
  }
  return limits;
}

/** What a run has used of its limits. */
export interface RunCounters {
  calls: number;
  readonly byTool: Map<string, number>;
}

export function newCounters(): RunCounters {
  return { calls: 0, byTool: new Map() };
}
