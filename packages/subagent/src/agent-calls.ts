import type {
  Answer,
  ExecuteAllOptions,
  Interruption,
  ToolCall,
  ToolError,
  ToolOutcome,
  Toolset,
} from "@toolweave/core";

/** How the calls of a turn are made. */
export type TurnOptions = Pick<ExecuteAllOptions, "strategy" | "maxConcurrency" | "stopWhen">;

/** The calls of an agent: through a run of its own, or through the scope of the call that it is. */
export interface AgentCalls {
  /** The executor's id for a call that the model has named: unique below the same call. */
  callId(modelId: string): string;
  /** How its calls are made. */
  readonly turns: TurnOptions;
  /** Begins a turn: returns the tools that the model is given in it. */
  nextTurn(): Toolset;
  executeAll(calls: readonly ToolCall[]): Promise<readonly ToolOutcome[]>;
  /** The reason why an answered call has not resumed and can still be answered; `undefined`: it has ended. */
  refusal(interruption: Interruption, outcome: ToolOutcome): ToolError | undefined;
  /** Resumes a pending call; `undefined`: it is not answered yet. */
  resume(interruption: Interruption): Promise<ToolOutcome> | undefined;
}

/** People's answers, by the ids of the interruptions. */
export type AgentAnswers = Readonly<Record<string, readonly Answer[]>>;
