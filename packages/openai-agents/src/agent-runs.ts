import type { RunContext } from "@openai/agents-core";
import type { JsonObject, RunOptions, ToolCall, ToolOutcome, ToolRun } from "@toolweave/core";

/** The admission of a call that the SDK has not executed yet. */
export interface Admission {
  readonly call: ToolCall;
  /** The model's input, parsed. */
  readonly input: JsonObject;
  /** Absent: the call would run. */
  readonly refusal: ToolOutcome | undefined;
}

/** One agent run, with the agents that it runs as tools. */
export interface AgentRun {
  readonly run: ToolRun;
  /** By call id. */
  readonly admitted: Map<string, Admission>;
}

/** The agent runs that the tools are called in, each with a `ToolRun` of its own. */
export class AgentRuns<Context> {
  readonly #start: (runContext: RunContext<Context>) => ToolRun;
  /** By the object that all contexts of one run share: an agent that is run as a tool has no budget of its own. */
  readonly #runs = new WeakMap<object, AgentRun>();

  constructor(start: (runContext: RunContext<Context>) => ToolRun) {
    this.#start = start;
  }

  of(runContext: RunContext<Context>): AgentRun {
    const { usage } = runContext;
    let agentRun = this.#runs.get(usage);
    if (agentRun === undefined) {
      agentRun = { run: this.#start(runContext), admitted: new Map() };
      this.#runs.set(usage, agentRun);
    }
    return agentRun;
  }
}

/**
 * The options of an agent's run. A single run cannot choose the tools, and its signal is the one that the SDK's `run`
 * takes.
 */
export type AgentRunOptions = Omit<RunOptions, "search" | "signal" | "toolset">;
