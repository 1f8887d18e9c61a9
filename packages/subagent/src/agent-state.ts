import { ToolError, type Interruption } from "@toolweave/core";
import { noUsage, type AgentUsage } from "./agent-limits.ts";
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
 * @throws ToolError `internal` if it is not a state.
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
    !isListOf(state.turn, isTurnPart) ||
    !isUsage(state.usage)
  ) {
    throw new ToolError(
      "internal",
      `${where}: this is no state of an agent; pass result.state as it was.`,
    );
  }
  return state as AgentState;
}

/** Checks for messages that can be read, whatever their parts contain. */
export function isConversation(given: unknown): given is AgentMessage[] {
  return isListOf(
    given,
    ({ role, content }) =>
      typeof role === "string" &&
      (role === "system" ? typeof content === "string" : isListOf(content, () => true)),
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

function isListOf(given: unknown, is: (item: Fields) => boolean): boolean {
  return Array.isArray(given) && given.every((item) => isFields(item) && is(item));
}

function isFields(given: unknown): given is Fields {
  return typeof given === "object" && given !== null;
}
