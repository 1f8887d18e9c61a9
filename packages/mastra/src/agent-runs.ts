import type { ToolExecutionContext } from "@mastra/core/tools";
import { ToolError, type RunOptions, type ToolExecutor, type ToolRun } from "@toolweave/core";
import { ReportedQuestions } from "./told-questions.ts";

/** Runs that are remembered; of the one least lately used a later call starts another. */
const most = 1000;

/** The run that a call belongs to: one for each run of an agent, or one for all. */
export class AgentRuns {
  readonly executor: ToolExecutor;
  readonly reported: ReportedQuestions = new ReportedQuestions();
  readonly #shared: ToolRun | undefined;
  readonly #optionsOf: ((context: ToolExecutionContext) => RunOptions) | undefined;
  readonly #defaults: RunOptions;
  readonly #byId = new Map<string, ToolRun>();

  /**
   * @param target a run: for all calls.
   * @param optionsOf what a run is started with, beside the defaults.
   */
  constructor(
    target: ToolExecutor | ToolRun,
    optionsOf?: (context: ToolExecutionContext) => RunOptions,
    defaults: RunOptions = {},
  ) {
    this.#shared = "startRun" in target ? undefined : target;
    this.executor = "startRun" in target ? target : target.executor;
    this.#optionsOf = optionsOf;
    this.#defaults = defaults;
  }

  /** @throws ToolError `internal` when the host's function throws, or gives what is no run's. */
  of(context: ToolExecutionContext): ToolRun {
    if (this.#shared !== undefined) return this.#shared;
    const id = this.agentRunId(context);
    if (id === undefined) return this.#start(context, {});
    const run = this.#byId.get(id) ?? this.#start(context, { id });
    this.#byId.delete(id);
    this.#byId.set(id, run);
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > most && oldest !== undefined) this.#byId.delete(oldest);
    return run;
  }

  /** The id of the agent's run. Mastra gives it to every tool, though its types do not have it. */
  agentRunId(context: ToolExecutionContext): string | undefined {
    const { runId } = context as { readonly runId?: unknown };
    return typeof runId === "string" && runId !== "" ? runId : undefined;
  }

  #start(context: ToolExecutionContext, named: RunOptions): ToolRun {
    try {
      const own = this.#optionsOf?.(context);
      return this.executor.startRun({ ...this.#defaults, ...named, ...own });
    } catch (cause) {
      // The model reads the message: the error of the host's function stays with the host.
      throw new ToolError("internal", "The tools are not available: nobody could be named.", {
        cause,
      });
    }
  }
}
