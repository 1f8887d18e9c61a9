import type { ToolExecutionContext, ToolPayloadTransform } from "@mastra/core/tools";
import {
  ToolError,
  type RunOptions,
  type ToolExecutor,
  type ToolRun,
  type Interruption,
} from "@toolweave/core";
import { BoundedMap, type IntegrationTarget } from "@toolweave/core/integration";
import { readQuestion } from "./question.ts";

/** The run that a call belongs to: one for each run of an agent, or one for all. */
export class AgentRuns {
  readonly executor: ToolExecutor;
  readonly reported: ReportedQuestions = new ReportedQuestions();
  readonly #shared: ToolRun | undefined;
  readonly #getRunOptions: ((context: ToolExecutionContext) => RunOptions) | undefined;
  readonly #defaults: RunOptions;
  /** After the run that was used least recently has been removed, a later call of it starts another. */
  readonly #byId = new BoundedMap<string, ToolRun>();

  /**
   * @param target its run, if there is one, is for all calls.
   * @param getRunOptions returns the options of a run, beside the defaults.
   */
  constructor(
    { executor, run }: IntegrationTarget,
    getRunOptions: ((context: ToolExecutionContext) => RunOptions) | undefined,
    defaults: RunOptions,
  ) {
    this.executor = executor;
    this.#shared = run;
    this.#getRunOptions = getRunOptions;
    this.#defaults = defaults;
  }

  /** @throws ToolError `invalid_configuration` when the host's function throws, or returns invalid options. */
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
      const own = this.#getRunOptions?.(context);
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

/**
 * Detects when Mastra reports a question, which in a stream is later than the call's request: Mastra then reads how to
 * display it. At any other time the display is not transformed, since Mastra copies all that it may display.
 */
class ReportedQuestions {
  readonly #listeners = new BoundedMap<string, () => Promise<void>>();
  readonly #display: NonNullable<ToolPayloadTransform["display"]> = {
    // Unchanged: Mastra uses a placeholder if a function is missing.
    input: ({ input }) => input,
    inputDelta: ({ inputTextDelta }) => inputTextDelta,
    output: ({ output }) => output,
    error: ({ error }) => error,
    approval: ({ input }) => input,
    resume: ({ resumeData }) => resumeData,
    suspend: async ({ suspendPayload, toolCallId }) => {
      const question = readQuestion(suspendPayload, toolCallId);
      if (question === undefined) return suspendPayload;
      const { state: _, ...interruption } = question.interruption;
      await this.#listeners.take(interruption.id)?.();
      return { ...question, interruption };
    },
  };

  /** The transform that Mastra reads whenever it makes a call. */
  get display(): ToolPayloadTransform["display"] | undefined {
    return this.#listeners.size === 0 ? undefined : this.#display;
  }

  /** Calls `listener` once, when Mastra reports the question. */
  whenReported({ id }: Interruption, listener: () => Promise<void>): void {
    this.#listeners.set(id, listener);
  }
}
