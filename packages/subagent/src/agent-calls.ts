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
export type TurnOptions = Pick<ExecuteAllOptions, "strategy" | "maxConcurrency" | "steer">;

/** What an agent calls tools with: a run of its own, or the scope of the call that it is. */
export interface AgentCalls {
  /** The executor's id for a call that the model has named: nobody else below the same call has it. */
  callId(modelId: string): string;
  /** How its calls are made. */
  readonly turns: TurnOptions;
  /** Begins a turn: the tools that the model is shown in it. */
  nextTurn(): Toolset;
  executeAll(calls: readonly ToolCall[]): Promise<readonly ToolOutcome[]>;
  /** Why an answered call has not gone on and can still be answered; `undefined`: it has come to its end. */
  refusal(interruption: Interruption, outcome: ToolOutcome): ToolError | undefined;
  /** Goes on with a call that waits; `undefined`: it is not answered yet. */
  resume(interruption: Interruption): Promise<ToolOutcome> | undefined;
}

/** What people have answered, by the ids of the interruptions. */
export type AgentAnswers = Readonly<Record<string, readonly Answer[]>>;
