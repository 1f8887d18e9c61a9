import type { RunnableConfig } from "@langchain/core/runnables";
import type { StructuredTool } from "@langchain/core/tools";
import type { Awaitable, ToolExecutor, ToolRun } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import {
  constantToolset,
  DefaultRuns,
  integrationError,
  resolveTarget,
  searchOptions,
} from "@toolweave/core/integration";
import { toolInputs, type ToolProvider } from "@toolweave/providers";
import { RegistryTool, type RunFor } from "./registry-tool.ts";

/** How the tools of an executor become LangChain's. */
export interface LangchainToolsOptions {
  /**
   * Returns the run of a call, for an agent that serves several users: it receives only LangChain's config of the call,
   * with `configurable`. Called for each call, so the host must return the same run for each run of its agent. If it
   * throws, the call fails with that error. Default: the target run; for an executor a run without a caller, and another
   * one when a model gives an id again.
   */
  readonly runFor?: (config: RunnableConfig) => Awaitable<ToolRun>;
  /**
   * The provider of the model, whose rules the schemas follow then. Default: a schema that some provider would refuse
   * becomes one that all of them accept, and all others stay unchanged.
   */
  readonly provider?: ToolProvider;
}

const optionNames: readonly string[] = [
  "runFor",
  "provider",
] satisfies readonly (keyof LangchainToolsOptions)[];

/**
 * Gives every tool of an executor, or of one run, to LangChain: to `createAgent`, a `ToolNode`, or a model's
 * `bindTools`. Every call goes through the executor's pipeline; LangChain validates nothing. A `ToolMessage` holds the
 * content for the model, and a `ToolArtifact` for the host; a failure has `status: "error"`. Only a cancellation is
 * thrown; without a tool call to answer, a failure is thrown as a `ToolError`.
 *
 * In a graph with a checkpointer a call that waits for a person interrupts the graph: see `ToolInterrupt` and
 * `ToolResume`. When the graph resumes, in another process too, no call runs twice. Without one, the model reads what
 * the call waits for.
 *
 * For an executor with more than 100 tools, the list is the search tools: `search_tools`, `describe_tool` and
 * `call_tool`.
 *
 * @param target an executor, for calls without a caller; or a run, for a caller, a session, limits, injected values, a
 * search or a toolset of its own.
 * @returns the tools as they are once every source has loaded, and with them the built-in tools that a later call may
 * need.
 * @example
 * ```ts
 * const agent = createAgent({ model, tools: await langchainTools(executor) });
 * ```
 *
 * @throws ToolError `invalid_configuration` for an invalid option, and for a run with a growing search.
 */
export async function langchainTools(
  target: ToolExecutor | ToolRun,
  options: LangchainToolsOptions = {},
): Promise<StructuredTool[]> {
  checkOptions("langchainTools", options, optionNames);
  const { runFor, provider } = options;
  const toInput = toolInputs("langchainTools", provider);
  const { executor, run: hostRun } = await resolveTarget("langchainTools", target);
  const ownRuns =
    hostRun === undefined ? await startRuns(executor, runFor !== undefined) : undefined;
  const toolset = constantToolset("langchainTools", hostRun ?? (ownRuns as DefaultRuns).latest);
  const runForCall: RunFor =
    runFor === undefined
      ? (_, callId) => ownRuns?.runFor(callId) ?? (hostRun as ToolRun)
      : checkedRunFor(executor, runFor);
  return toolset.specs().map((spec) => new RegistryTool(spec, toInput(spec), runForCall));
}

async function startRuns(executor: ToolExecutor, isForMany: boolean): Promise<DefaultRuns> {
  const { toolset } = executor.startRun();
  const search = await searchOptions(toolset);
  if (search.search === undefined || !isForMany) {
    return new DefaultRuns(() => executor.startRun(search));
  }
  throw integrationError(
    "langchainTools",
    `${toolset.size} tools are too many for one list. ` +
      `Start each run with search: toolSearch({ form: "constant" }), and pass one of them in place of the executor`,
  );
}

/** Checks each run of the host: the model has been given the tools of this executor. */
function checkedRunFor(
  executor: ToolExecutor,
  runFor: NonNullable<LangchainToolsOptions["runFor"]>,
): RunFor {
  return async (config) => {
    const run = await runFor(config);
    if (run?.executor !== executor) {
      throw integrationError(
        "langchainTools",
        "runFor must return a run that startRun() of the same executor returned",
      );
    }
    // The model has been given every built-in tool that a later call may need.
    run.freezeToolset();
    return run;
  };
}
