import type { Interruption, JsonValue, ToolError } from "@toolweave/core";
import type { AgentLimit, AgentUsage } from "./agent-limits.ts";
import type { AgentMessage } from "./message.ts";
import type { AgentState } from "./agent-state.ts";

interface Common {
  /** Names the agent's run in events. */
  readonly runId: string;
  /** The transcript: every call in it has its result, but for what an interrupted agent waits for. */
  readonly messages: readonly AgentMessage[];
  /** With what its sub-agents have used. */
  readonly usage: AgentUsage;
  /** The last text of the model; of `completed` the answer. */
  readonly text: string;
}

/** The model has given its answer. */
export interface CompletedAgent extends Common {
  readonly status: "completed";
  /** With an `output` schema: the answer, which keeps it. */
  readonly value?: JsonValue;
}

/** Calls of the last turn wait for people. Resume with `resumeAgent`. */
export interface InterruptedAgent extends Common {
  readonly status: "interrupted";
  /** The interruptions of all pending calls, in call order. */
  readonly interruptions: readonly Interruption[];
  /**
   * Of `resumeAgent`: why answers had no effect, by the interruptions' ids: `approval_invalid`, such as one of the
   * wrong form or a second one; `store_unavailable`. Their calls still wait.
   */
  readonly refused?: Readonly<Record<string, ToolError>>;
  /** All that the agent needs to resume, with the interruptions: plain JSON. */
  readonly state: AgentState;
}

/** A limit has been reached, or the model could not finish. */
export interface StoppedAgent extends Common {
  readonly status: "stopped";
  /** `output`: the model's own limit cut its answer off. `content-filter`: the provider did. */
  readonly limit: AgentLimit | "output" | "content-filter";
  /** One sentence: what was reached, and that this is not a completed answer. */
  readonly message: string;
}

/** The model failed, or gave no answer that keeps the `output` schema. */
export interface FailedAgent extends Common {
  readonly status: "failed";
  readonly error: ToolError;
}

/** It was cancelled. */
export interface CancelledAgent extends Common {
  readonly status: "cancelled";
  readonly error: ToolError;
}

/** The result of an agent. */
export type AgentResult =
  | CompletedAgent
  | InterruptedAgent
  | StoppedAgent
  | FailedAgent
  | CancelledAgent;
