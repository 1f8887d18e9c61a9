import {
  ToolError,
  type Answer,
  type ExecuteAllOptions,
  type Interruption,
  type ToolCall,
  type ToolOutcome,
  type Toolset,
} from "@toolweave/core";
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
 * @throws ToolError `invalid_configuration`
 */
export function checkedLimits(where: string, limits: AgentLimits): AgentLimits {
  checkOptions(where, limits, Object.keys(limitNames));
  for (const [name, value] of Object.entries(limits) as [string, unknown][]) {
    if (value === undefined || (Number.isInteger(value) && (value as number) > 0)) continue;
    throw new ToolError(
      "invalid_configuration",
      `${where}: ${name} is ${typeof value === "number" ? value : `of type ${typeof value}`}; use a whole number above 0.`,
    );
  }
  return { ...limits };
}

/**
 * The usage of an agent, with that of its sub-agents. Tokens as the models report them; a count that is not reported is
 * 0.
 */
export interface AgentUsage {
  /** Answers of a model that were asked for. */
  readonly turns: number;
  /**
   * Tool calls, those of a sub-agent included. A call that resumes after a person has answered is not counted again.
   */
  readonly toolCalls: number;
  readonly inputTokens: number;
  /** The input tokens that were read from the provider's cache. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** The output tokens that were spent on reasoning. */
  readonly reasoningTokens: number;
  /** Milliseconds of work; those in which it waited for a person to answer an interruption are not among them. */
  readonly durationMs: number;
}

/** The counters of the usage. */
export type Counters = { -readonly [Name in keyof AgentUsage]: AgentUsage[Name] };

/** Returns counters of zero. */
export function noUsage(): Counters {
  return {
    turns: 0,
    toolCalls: 0,
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    durationMs: 0,
  };
}

/** The counts that a model reports. */
export type TokenCounts = Pick<
  AgentUsage,
  "inputTokens" | "cachedInputTokens" | "outputTokens" | "reasoningTokens"
>;

/** How the calls of a turn are made. */
export type TurnOptions = Pick<ExecuteAllOptions, "strategy" | "maxConcurrency" | "stopWhen">;

/** The maximum number of calls that run at the same time, also of those that resume. */
export function atOnce({ strategy, maxConcurrency }: TurnOptions): number {
  if (strategy === "sequential") return 1;
  return maxConcurrency ?? (typeof strategy === "object" ? strategy.batched : 8);
}

/** The calls of an agent: through a run of its own, or through the scope of the call that it is. */
export interface AgentCalls {
  /** The executor's id for a call that the model has named: unique below the same call. */
  callId(modelId: string): string;
  /** How its calls are made. */
  readonly turns: TurnOptions;
  /** Begins a turn: returns the tools that the model is given in it. */
  nextTurn(): Toolset;
  executeAll(calls: readonly ToolCall[]): Promise<readonly ToolOutcome[]>;
  /** Makes one call. */
  execute(call: ToolCall): Promise<ToolOutcome>;
  /** Admits a call that `execute` then makes. Returns its outcome if it is refused or waits for a person. */
  admit?(call: ToolCall): Promise<ToolOutcome | undefined>;
  /** The reason why an answered call has not resumed and can still be answered; `undefined`: it has ended. */
  refusal(interruption: Interruption, outcome: ToolOutcome): ToolError | undefined;
  /** Resumes a pending call; `undefined`: it is not answered yet. */
  resume(interruption: Interruption): Promise<ToolOutcome> | undefined;
}

/** People's answers, by the ids of the interruptions. */
export type AgentAnswers = Readonly<Record<string, readonly Answer[]>>;
