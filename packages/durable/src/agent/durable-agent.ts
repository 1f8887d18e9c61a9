import { ToolError, type Answer, type Interruption, type JsonValue } from "@toolweave/core";
import { checkOptions, checks } from "@toolweave/core/adapter";
import type { AgentResult } from "@toolweave/subagent";
import {
  agentWorkflow,
  resultFromJson,
  type AgentDefinition,
  type AgentTask,
  type WaitingCall,
} from "./agent-workflow.ts";
import type { DurableEngine, EngineWorkflow, WorkflowStatus } from "./durable-engine.ts";

/** The options of a durable agent: those of `runAgent` that do not depend on the task. */
export interface DurableAgentOptions extends AgentDefinition {
  /** Names the workflows of the agent in the engine: letters, digits, `_` and `-`, 64 at most. */
  readonly name: string;
  /** The role of the agent and how it works. */
  readonly system?: string;
}

/** The state of a durable agent. */
export type DurableAgentStatus =
  | { readonly status: "running" }
  /** Calls wait for people. Answer each with `answer`. */
  | { readonly status: "interrupted"; readonly interruptions: readonly Interruption[] }
  /** The agent has ended, with the result of `runAgent`. */
  | { readonly status: "ended"; readonly result: AgentResult }
  | { readonly status: "cancelled" }
  /** The engine has given up: the workflow is not repeated. `message`: the reason, from the engine. */
  | { readonly status: "failed"; readonly message: string };

/**
 * An agent whose runs survive their process. Every method works in every process that has the same engine, executor
 * `key`, `ledger` and `pendingCalls`.
 */
export interface DurableAgent {
  /**
   * Starts a run. Nothing happens if there is one with that id.
   *
   * @param id names the run: letters, digits and `.`, `_`, `~`, `-`, 128 at most.
   * @throws ToolError `invalid_arguments` for an id or a task that is not valid.
   */
  start(id: string, task: AgentTask): Promise<void>;
  /** @throws ToolError `not_found` when there is no run with that id. */
  status(id: string): Promise<DurableAgentStatus>;
  /**
   * Waits for the end of a run, also while calls of it wait for people.
   *
   * @throws ToolError `not_found`; `cancelled` when it was cancelled; `internal` when the engine has given up.
   */
  result(id: string): Promise<AgentResult>;
  /**
   * Answers a call that waits for a person. The first answer counts. An answer that is not valid leaves the call
   * waiting, and can be given again.
   *
   * @param interruptionId of an interruption in `status`.
   * @throws ToolError `not_found` when there is no such run; `approval_invalid` when no such call waits.
   */
  answer(id: string, interruptionId: string, answers: readonly Answer[]): Promise<void>;
  /**
   * Cancels a run, and what it is doing. Nothing happens if it has ended.
   *
   * @throws ToolError `not_found` when there is no run with that id.
   */
  cancel(id: string): Promise<void>;
}

/**
 * Defines an agent whose runs are workflows of an engine: each answer of a model and each call is a step, which another
 * process does not repeat once it has ended. A call that was cut off with its process is not made again: the model reads
 * that its outcome is unknown, unless its tool only reads.
 *
 * @param engine `dbosEngine` or `restateEngine`. Define the agents before it is started, the same in every process.
 * @throws ToolError `invalid_configuration` for an option that is not valid.
 * @example
 * ```ts
 * const clerk = durableAgent(engine, { name: "clerk", model, executor });
 * await clerk.start("order_7", { prompt: "Settle order 7." });
 * const result = await clerk.result("order_7");
 * ```
 */
export function durableAgent(engine: DurableEngine, options: DurableAgentOptions): DurableAgent {
  checks.object.check("durableAgent: options", options);
  const { name, ...definition } = options;
  if (typeof engine?.workflow !== "function") {
    throw invalid("engine is no engine; pass dbosEngine(…) or restateEngine(…).");
  }
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw invalid("name takes letters, digits, _ and -, 64 at most.");
  }
  const { executor, stopWhen } = definition;
  if (typeof executor?.startRun !== "function") throw invalid("executor is no ToolExecutor.");
  if (stopWhen !== undefined) {
    throw invalid("stopWhen is not possible: calls that have started are not skipped.");
  }
  // Without a ledger, a repeated call would start again.
  executor.startRun({ durable: true });
  const workflow = engine.workflow(name, (task, steps) =>
    agentWorkflow(definition, task as unknown as AgentTask, steps),
  );
  return new WorkflowAgent(workflow);
}

class WorkflowAgent implements DurableAgent {
  readonly #workflow: EngineWorkflow;

  constructor(workflow: EngineWorkflow) {
    this.#workflow = workflow;
  }

  async start(id: string, task: AgentTask): Promise<void> {
    if (typeof id !== "string" || !/^[A-Za-z0-9._~-]{1,128}$/.test(id)) {
      throw new ToolError(
        "invalid_arguments",
        "start: an id takes letters, digits, ., _, ~ and -, 128 at most.",
      );
    }
    checkOptions("start", task, ["prompt", "messages", "caller", "sessionId"]);
    if ((task.prompt === undefined) === (task.messages === undefined)) {
      throw new ToolError("invalid_arguments", "start: pass prompt or messages, and not both.");
    }
    await this.#workflow.start(id, JSON.parse(JSON.stringify(task)) as JsonValue);
  }

  async status(id: string): Promise<DurableAgentStatus> {
    const found = await this.#found(id);
    switch (found.status) {
      case "ended":
        return { status: "ended", result: resultFromJson(found.output) };
      case "running": {
        const interruptions = waitingCalls(found).map(({ interruption }) => interruption);
        return interruptions.length === 0
          ? { status: "running" }
          : { status: "interrupted", interruptions };
      }
      default:
        return found;
    }
  }

  async result(id: string): Promise<AgentResult> {
    await this.#found(id);
    await this.#workflow.ended(id);
    const status = await this.status(id);
    if (status.status === "ended") return status.result;
    if (status.status === "cancelled") {
      throw new ToolError("cancelled", `The agent run ${id} was cancelled.`);
    }
    const reason = status.status === "failed" ? status.message : `it is ${status.status}`;
    throw new ToolError("internal", `The agent run ${id} has no result: ${reason}.`);
  }

  async answer(id: string, interruptionId: string, answers: readonly Answer[]): Promise<void> {
    const found = await this.#found(id);
    const waiting = found.status === "running" ? waitingCalls(found) : [];
    const call = waiting.find(({ interruption }) => interruption.id === interruptionId);
    if (call === undefined) {
      throw new ToolError(
        "approval_invalid",
        `No call of the agent run ${id} waits for this answer: it was answered before, or has expired.`,
      );
    }
    await this.#workflow.send(id, call.message, JSON.parse(JSON.stringify(answers)) as JsonValue);
  }

  async cancel(id: string): Promise<void> {
    await this.#found(id);
    await this.#workflow.cancel(id);
  }

  async #found(id: string): Promise<WorkflowStatus> {
    const status = await this.#workflow.status(id);
    if (status === undefined) throw new ToolError("not_found", `There is no agent run ${id}.`);
    return status;
  }
}

function waitingCalls({
  published,
}: Extract<WorkflowStatus, { status: "running" }>): readonly WaitingCall[] {
  return Array.isArray(published) ? (published as unknown as readonly WaitingCall[]) : [];
}

function invalid(message: string): ToolError {
  return new ToolError("invalid_configuration", `durableAgent: ${message}`);
}
