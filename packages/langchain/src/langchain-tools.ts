import type { RunnableConfig } from "@langchain/core/runnables";
import type { StructuredTool } from "@langchain/core/tools";
import {
  checkOptions,
  ToolError,
  type Awaitable,
  type ToolExecutor,
  type ToolRun,
} from "@toolweave/core";
import { toolSearch } from "@toolweave/core/search";
import { RegistryTool, type RunFor } from "./registry-tool.ts";

/** How the tools of an executor become LangChain's. */
export interface LangchainToolsOptions {
  /**
   * Returns the run of a call, for an agent that serves several users: it receives only LangChain's config of the call,
   * with `configurable`. Called for each call, so the host must return the same run for each run of its agent. If it
   * throws, the call fails with that error. Default: the target run; for an executor one run without a caller.
   */
  readonly runFor?: (config: RunnableConfig) => Awaitable<ToolRun>;
}

const optionNames: readonly string[] = [
  "runFor",
] satisfies readonly (keyof LangchainToolsOptions)[];

/** With more tools, a model is given a search: the list of an agent cannot change. */
const maxListed = 100;

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
 * ```js
 * const agent = createAgent({ model, tools: await langchainTools(executor) });
 * ```
 *
 * @throws ToolError `internal` for an invalid option, and for a run with a growing search.
 */
export async function langchainTools(
  target: ToolExecutor | ToolRun,
  options: LangchainToolsOptions = {},
): Promise<StructuredTool[]> {
  checkOptions("langchainTools", options, optionNames);
  const isExecutor = "startRun" in target;
  if (!isExecutor && !("checkAdmission" in target)) {
    throw new ToolError(
      "internal",
      "langchainTools takes a ToolExecutor, or what its startRun() gives.",
    );
  }
  const { runFor } = options;
  const executor = isExecutor ? target : target.executor;
  await executor.registry.ready;
  const run = isExecutor ? ownRun(executor, runFor !== undefined) : target;
  const toolset = run.freezeToolset();
  if (toolset.searchable !== undefined && toolset.get("call_tool") === undefined) {
    throw new ToolError(
      "internal",
      `langchainTools: LangChain's list of tools cannot grow; use toolSearch({ form: "constant" }).`,
    );
  }
  const runOf: RunFor = runFor === undefined ? () => run : hostRun(executor, runFor);
  return toolset.specs().map((spec) => new RegistryTool(spec, runOf));
}

function ownRun(executor: ToolExecutor, isForMany: boolean): ToolRun {
  const run = executor.startRun();
  if (run.toolset.size <= maxListed) return run;
  if (isForMany) {
    throw new ToolError(
      "internal",
      `langchainTools: ${run.toolset.size} tools are too many to be shown. ` +
        `Start each run with search: toolSearch({ form: "constant" }), and pass one of them in place of the executor.`,
    );
  }
  return executor.startRun({ search: toolSearch({ form: "constant" }) });
}

function hostRun(
  executor: ToolExecutor,
  runFor: NonNullable<LangchainToolsOptions["runFor"]>,
): RunFor {
  return async (config) => {
    const run = await runFor(config);
    if (run?.executor !== executor) {
      throw new ToolError(
        "internal",
        "langchainTools: runFor gives what startRun() of the same executor gave.",
      );
    }
    // The model has been given every helper tool that a later call may need.
    run.freezeToolset();
    return run;
  };
}
