import type { ToolExecutionContext } from "@mastra/core/tools";
import { ToolError, type RunOptions, type ToolExecutor, type ToolRun } from "@toolweave/core";
import { BoundedMap, type IntegrationTarget } from "@toolweave/core/integration";
import { ReportedQuestions } from "./reported-questions.ts";

/** The run that a call belongs to: one for each run of an agent, or one for all. */
export class AgentRuns {
  readonly executor: ToolExecutor;
  readonly reported: ReportedQuestions = new ReportedQuestions();
  readonly #shared: ToolRun | undefined;
  readonly #optionsOf: ((context: ToolExecutionContext) => RunOptions) | undefined;
  readonly #defaults: RunOptions;
  /** After the run that was used least recently has been removed, a later call of it starts another. */
  readonly #byId = new BoundedMap<string, ToolRun>();

  /**
   * @param target its run, if there is one, is for all calls.
   * @param optionsOf returns the options of a run, beside the defaults.
   */
  constructor(
    { executor, run }: IntegrationTarget,
    optionsOf: ((context: ToolExecutionContext) => RunOptions) | undefined,
    defaults: RunOptions,
  ) {
    this.executor = executor;
    this.#shared = run;
    this.#optionsOf = optionsOf;
    this.#defaults = defaults;
  }

  /** @throws ToolError `internal` when the host's function throws, or returns invalid options. */
  of(context: ToolExecutionContext): ToolRun {
    if (this.#shared !== undefined) return this.#shared;
    const id = this.agentRunId(context);
    if (id === undefined) return this.#start(context, {});
    const run = this.#byId.get(id) ?? this.#start(context, { id });
    this.#byId.set(id, run);
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
      throw new ToolError(
        "internal",
        "The tools are not available: the caller could not be determined.",
        {
          cause,
        },
      );
    }
  }
}
