import {
  createTool,
  type Tool,
  type ToolExecutionContext,
  type ToolPayloadTransform,
} from "@mastra/core/tools";
import {
  ToolError,
  type RunOptions,
  type ToolExecutor,
  type ToolRun,
  type ToolSpec,
  type Toolset,
} from "@toolweave/core";
import { toolSearch } from "@toolweave/core/search";
import { executeCall } from "./agent-call.ts";
import { announce } from "./agent-questions.ts";
import { AgentRuns } from "./agent-runs.ts";
import { modelOutput } from "./model-output.ts";
import { openSchema } from "./open-schema.ts";

/** More tools than these are searched. */
const maxListed = 100;

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
 * @throws ToolError `internal` (by rejecting) for another target, for `options.run` beside a run, and for a run whose
 * search makes the list grow: Mastra reads it once.
 * @example
 * ```js
 * const agent = new Agent({ id: "a", name: "A", instructions, model, tools: await mastraTools(executor) });
 * ```
 */
export async function mastraTools(
  target: ToolExecutor | ToolRun,
  options: MastraToolsOptions = {},
): Promise<MastraTools> {
  const { registry } = executorOf(target);
  await registry.ready;
  const { runs, toolset } =
    "startRun" in target ? ofExecutor(target, options) : ofRun(target, options);
  // `fromEntries` makes own properties, whatever the name: `__proto__` is one.
  return Object.fromEntries(toolset.specs().map((spec) => [spec.name, mastraTool(spec, runs)]));
}

function mastraTool(spec: ToolSpec, runs: AgentRuns): Tool {
  const title = spec.title ?? spec.annotations.title;
  return createTool({
    id: spec.name,
    description: spec.description,
    ...(title === undefined ? {} : { title }),
    inputSchema: openSchema(spec),
    // Otherwise the schema is rewritten for some providers, and arguments come back with nulls.
    strict: false,
    onInputAvailable: ({ toolCallId, input }) => {
      announce(runs.executor, toolCallId);
      forgetAnswer(input);
    },
    execute: (input, context) => executeCall(spec.name, input, context, runs),
    toModelOutput: modelOutput,
    transform: runs.reported as ToolPayloadTransform,
  });
}

/**
 * Mastra takes an argument of this name for a person's answer. It is the model's, so it is deleted from the same object
 * that Mastra reads next.
 */
function forgetAnswer(input: unknown): void {
  if (typeof input === "object" && input !== null) Reflect.deleteProperty(input, "resumeData");
}

function executorOf(target: ToolExecutor | ToolRun): ToolExecutor {
  if ("startRun" in target) return target;
  if ("checkAdmission" in target) return target.executor;
  throw wrong("takes a ToolExecutor, or what its startRun() gives.");
}

interface Listed {
  readonly runs: AgentRuns;
  readonly toolset: Toolset;
}

function ofExecutor(executor: ToolExecutor, { run }: MastraToolsOptions): Listed {
  const all = executor.startRun().freezeToolset();
  if (all.size <= maxListed) return { runs: new AgentRuns(executor, run, {}), toolset: all };
  const searching = { search: toolSearch({ form: "constant" }) };
  const toolset = executor.startRun(searching).freezeToolset();
  return { runs: new AgentRuns(executor, run, searching), toolset };
}

function ofRun(run: ToolRun, options: MastraToolsOptions): Listed {
  if (options.run !== undefined) throw wrong("takes the option run beside an executor only.");
  const toolset = run.freezeToolset();
  if (toolset.searchable !== undefined && toolset.get("call_tool") === undefined) {
    throw wrong(`makes a list that stays: search with toolSearch({ form: "constant" }).`);
  }
  return { runs: new AgentRuns(run), toolset };
}

function wrong(what: string): ToolError {
  return new ToolError("internal", `mastraTools ${what}`);
}
