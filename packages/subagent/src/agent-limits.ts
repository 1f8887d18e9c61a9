import { ToolError } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";

/**
 * How much an agent may use, with all that its sub-agents use: a sub-agent's limits are a part of those
 * above it, and never more. Whole numbers above 0.
 */
export interface AgentLimits {
  /** Answers of a model. Default: 50; of a sub-agent 20. */
  readonly turns?: number;
  /** Tool calls. Default: no limit. */
  readonly toolCalls?: number;
  /**
   * Input and output tokens as the models report them, checked before each turn: the last one may exceed the limit. For
   * a model that reports none, a quarter of the characters. Default: no limit.
   */
  readonly tokens?: number;
  /**
   * Milliseconds of work. What is under way then is cancelled. Time in which an interruption waits for
   * a person does not count; time that an approver function takes does. Default: none; of a sub-agent 300,000.
   */
  readonly durationMs?: number;
}

/** The limit that an agent has reached. */
export type AgentLimit = keyof AgentLimits;

/** A record of all of them: a limit that is added must be added here. */
const limitNames: Record<AgentLimit, true> = {
  turns: true,
  toolCalls: true,
  tokens: true,
  durationMs: true,
};

/**
 * The limits, copied. A limit that is no number would never be reached.
 *
 * @throws ToolError `internal`
 */
export function checkedLimits(where: string, limits: AgentLimits): AgentLimits {
  checkOptions(where, limits, Object.keys(limitNames));
  for (const [name, value] of Object.entries(limits) as [string, unknown][]) {
    if (value === undefined || (Number.isInteger(value) && (value as number) > 0)) continue;
    throw new ToolError(
      "internal",
      `${where}: ${name} is ${typeof value === "number" ? value : `of type ${typeof value}`}; use a whole number above 0.`,
    );
  }
  return { ...limits };
}
