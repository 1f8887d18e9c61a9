import type { StandardSchemaWithJSON } from "@mastra/core/schema";
import {
  createTool,
  type Tool,
  type ToolExecutionContext,
  type ToolPayloadTransform,
} from "@mastra/core/tools";
import type { RunOptions, ToolExecutor, ToolRun, ToolSpec } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import {
  constantToolset,
  integrationError,
  resolveTarget,
  searchOptions,
} from "@toolweave/core/integration";
import { toolInputs, type ToolInput, type ToolProvider } from "@toolweave/providers";
import { executeCall, modelOutput } from "./agent-call.ts";
import { announce } from "./agent-questions.ts";
import { AgentRuns } from "./agent-runs.ts";

/** The `tools` of `new Agent({ tools })`, by name. */
export type MastraTools = Record<string, Tool>;

/** How calls that Mastra makes become calls of an executor. */
export interface MastraToolsOptions {
  /**
   * Returns the options of each run of an agent, such as the caller that the host's request context names. Called once
   * for each run, and again in each process that resumes it: the caller of a pending call has to be given again.
   * Default: a run without a caller.
   */
  readonly run?: (context: ToolExecutionContext) => RunOptions;
  /**
   * The provider of the model, whose rules the schemas follow then. Default: a schema that some provider would refuse
   * becomes one that all of them accept, and all others stay unchanged.
   */
  readonly provider?: ToolProvider;
}

/**
 * Gives every tool of an executor, or of one run, to Mastra's `Agent`. Every call goes through the executor's pipeline.
 * The model reads the result's bounded content; the host reads the structured value, or the text, or both as `{
 * content, value }`; a failure is a tool error that the model reads, and its `cause` is a `ToolError`.
 *
 * A call that the policy asks about becomes Mastra's own `tool-call-approval`, and resumes with `approveToolCall` or
 * `declineToolCall`: once, with exactly the displayed arguments, within 24 hours, and in another process when both
 * share Mastra's storage, the executor's `key` and its store of pending calls. Any other request becomes
 * `tool-call-suspended`, and the call resumes with `resumeStream`.
 *
 * @param target an executor: each run of an agent has a run of its own; or one run, for all calls.
 * @returns the tools as they are once every source has loaded, and with them the built-in tools that a later call may
 * need. Of an executor with more than 100: `search_tools`, `describe_tool` and `call_tool`.
 * @throws ToolError `invalid_configuration` (by rejecting) for another target, for an invalid option, for `options.run`
 * beside a run, and for a run whose search makes the list grow: Mastra reads it once.
 * @example
 * ```ts
 * const agent = new Agent({ id: "a", name: "A", instructions, model, tools: await mastraTools(executor) });
 * ```
 */
export async function mastraTools(
  target: ToolExecutor | ToolRun,
  options: MastraToolsOptions = {},
): Promise<MastraTools> {
  checkOptions("mastraTools", options, ["run", "provider"]);
  const toInput = toolInputs("mastraTools", options.provider);
  const resolved = await resolveTarget("mastraTools", target);
  const { executor, run } = resolved;
  if (run !== undefined && options.run !== undefined) {
    throw integrationError("mastraTools", "the option run is only for an executor");
  }
  const search = run === undefined ? await searchOptions(executor.startRun().toolset) : {};
  const toolset = constantToolset("mastraTools", run ?? executor.startRun(search));
  const runs = new AgentRuns(resolved, options.run, search);
  // `fromEntries` makes own properties, whatever the name: `__proto__` is one.
  return Object.fromEntries(
    toolset.specs().map((spec) => [spec.name, mastraTool(spec, toInput(spec), runs)]),
  );
}

function mastraTool(spec: ToolSpec, toolInput: ToolInput, runs: AgentRuns): Tool {
  const title = spec.title ?? spec.annotations.title;
  return createTool({
    id: spec.name,
    description: spec.description,
    ...(title === undefined ? {} : { title }),
    inputSchema: openSchema(toolInput),
    // Strict schemas are rewritten for some providers, and arguments then contain nulls.
    strict: false,
    onInputAvailable: ({ toolCallId, input }) => {
      announce(runs.executor, toolCallId);
      forgetAnswer(input);
    },
    execute: (input, context) => executeCall(spec.name, toolInput.restore(input), context, runs),
    toModelOutput: modelOutput,
    transform: runs.reported as ToolPayloadTransform,
  });
}

/**
 * Deletes the argument that Mastra would read as a person's answer: this one is the model's. It is deleted from the
 * object that Mastra reads next.
 */
function forgetAnswer(input: unknown): void {
  if (typeof input === "object" && input !== null) Reflect.deleteProperty(input, "resumeData");
}

/**
 * A tool's schema for the model, with a validator that accepts everything: the executor's error about invalid arguments
 * helps a model more.
 */
function openSchema(input: ToolInput): StandardSchemaWithJSON<unknown> {
  const json = (): Record<string, unknown> => input.schema as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "toolweave",
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  };
}
