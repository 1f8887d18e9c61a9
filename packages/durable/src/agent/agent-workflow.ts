import {
  ToolError,
  type Answer,
  type Caller,
  type Interruption,
  type JsonValue,
  type ToolErrorCode,
} from "@toolweave/core";
import {
  runAgent,
  type AgentJournal,
  type AgentMessage,
  type AgentResult,
  type AgentRunOptions,
} from "@toolweave/subagent";
import type { WorkflowSteps } from "./durable-engine.ts";

/** The task of a durable agent: `prompt`, or `messages`. */
export interface AgentTask {
  /** The user's message. */
  readonly prompt?: string;
  /** A conversation in place of `prompt`. */
  readonly messages?: readonly AgentMessage[];
  /** The caller of all calls. Stored by the engine. */
  readonly caller?: Caller;
  readonly sessionId?: string;
}

/** The agent, independent of its task. */
export type AgentDefinition = Omit<AgentRunOptions, "signal" | "caller" | "sessionId"> & {
  readonly system?: string;
};

/** A call that waits for a person, and the name of the message that has the answers. */
export interface WaitingCall {
  readonly interruption: Interruption;
  readonly message: string;
}

/** Runs one agent as a workflow. */
export async function agentWorkflow(
  definition: AgentDefinition,
  task: AgentTask,
  steps: WorkflowSteps,
): Promise<JsonValue> {
  const { signal } = steps;
  const result = await runAgent({ ...definition, ...task, signal, journal: toJournal(steps) });
  return resultToJson(result);
}

function toJournal(steps: WorkflowSteps): AgentJournal {
  /** The number of answers that each interruption has had: those that were not valid, and the next one. */
  const answered = new Map<string, number>();
  const toWaiting = (interruption: Interruption): WaitingCall => ({
    interruption,
    message: `${interruption.id} ${(answered.get(interruption.id) ?? 0) + 1}`,
  });
  const publish = (all: readonly Interruption[]): Promise<void> =>
    steps.publish(all.map(toWaiting) as unknown as JsonValue);
  return {
    runId: steps.id,
    ...(steps.epoch === undefined ? {} : { epoch: steps.epoch }),
    step: (name, work) => steps.step(name, work),
    answers: async (_, interruption, all) => {
      const { id, expiresAt } = interruption;
      const { message } = toWaiting(interruption);
      await publish(all);
      const answers = await steps.message(message, expiresAt);
      answered.set(id, (answered.get(id) ?? 0) + 1);
      await publish(all.filter((other) => other.id !== id));
      return answers as unknown as readonly Answer[] | undefined;
    },
  };
}

/** An error as it is stored: without its cause, which only the host may see. */
interface StoredError {
  readonly code: ToolErrorCode;
  readonly message: string;
}

/** Maximum characters of a stored result: 4 Mi. A longer one has no transcript. */
const maxLength = 4 * 2 ** 20;

/** The result of an agent as JSON. A transcript that is too long is left out. */
function resultToJson(result: AgentResult): JsonValue {
  const stored =
    "error" in result
      ? { ...result, error: { code: result.error.code, message: result.error.message } }
      : result;
  const json = JSON.stringify(stored);
  return JSON.parse(
    json.length <= maxLength ? json : JSON.stringify({ ...stored, messages: [] }),
  ) as JsonValue;
}

/** The result that was stored. */
export function resultFromJson(json: JsonValue): AgentResult {
  const stored = json as unknown as AgentResult & { readonly error?: StoredError };
  if (stored.error === undefined) return stored;
  const { code, message } = stored.error;
  return { ...stored, error: new ToolError(code, message) } as AgentResult;
}
