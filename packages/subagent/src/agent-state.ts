import { ToolError, type Interruption, type JsonValue } from "@toolweave/core";
import { noUsage, type AgentUsage, type AgentLimit } from "./agent-limits.ts";
import type { AgentMessage, ToolResultPart } from "./message.ts";

/** A call of the last turn that waits for a person. */
export interface PendingToolCall {
  readonly type: "pending";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly interruption: Interruption;
}

/**
 * All that an interrupted agent needs to resume, in this process or another one: plain JSON. The executor seals the
 * pending calls, so that no approval can be forged from the state; the transcript is not sealed, so store it where you
 * store what your model reads.
 */
export interface AgentState {
  readonly version: 1;
  readonly runId: string;
  readonly messages: readonly AgentMessage[];
  /** The calls of the last message, in order: the results of those that have ended, and those that wait. */
  readonly turn: readonly (ToolResultPart | PendingToolCall)[];
  readonly usage: AgentUsage;
}

/**
 * A checked copy of a stored state, which may come from anywhere.
 *
 * @throws ToolError `invalid_configuration` if it is not a state.
 */
export function checkedState(where: string, given: unknown): AgentState {
  let state: Partial<AgentState> | undefined;
  try {
    state = JSON.parse(JSON.stringify(given)) as Partial<AgentState>;
  } catch {
    state = undefined;
  }
  if (
    state?.version !== 1 ||
    typeof state.runId !== "string" ||
    !isConversation(state.messages) ||
    !isListWith(state.turn, isTurnPart) ||
    !isUsage(state.usage)
  ) {
    throw new ToolError(
      "invalid_configuration",
      `${where}: this is no state of an agent; pass result.state as it was.`,
    );
  }
  return state as AgentState;
}

/** Checks for messages that can be read, whatever their parts contain. */
export function isConversation(given: unknown): given is AgentMessage[] {
  return isListWith(
    given,
    ({ role, content }) =>
      typeof role === "string" &&
      (role === "system" ? typeof content === "string" : isListWith(content, () => true)),
  );
}

type Fields = Readonly<Record<string, unknown>>;

function isTurnPart({ type, interruption }: Fields): boolean {
  if (type !== "pending") return type === "tool-result";
  return isFields(interruption) && typeof interruption["id"] === "string";
}

/** A count that is none, or a negative one, would be a limit that is never reached. */
function isUsage(given: unknown): boolean {
  const isCount = (name: string): boolean => {
    const count = (given as Fields)[name];
    return Number.isFinite(count) && (count as number) >= 0;
  };
  return isFields(given) && Object.keys(noUsage()).every(isCount);
}

function isListWith(given: unknown, is: (item: Fields) => boolean): boolean {
  return Array.isArray(given) && given.every((item) => isFields(item) && is(item));
}

function isFields(given: unknown): given is Fields {
  return typeof given === "object" && given !== null;
}

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
