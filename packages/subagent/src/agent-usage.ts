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
