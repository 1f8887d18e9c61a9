import {
  tool,
  type FunctionTool,
  type RunContext,
  type ToolOutputFileContent,
  type ToolOutputImage,
  type ToolOutputText,
} from "@openai/agents-core";
import type {
  JsonObject,
  ToolExecutor,
  ToolRun,
  ToolSpec,
  ToolOutcome,
  Toolset,
} from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import {
  integrationError,
  isGrowing,
  notApprovedText,
  resolveTarget,
  searchOptions,
  fileName,
  imageTypes,
  modelContent,
  waitingText,
  type ContentFile,
} from "@toolweave/core/integration";
import {
  isStrictSchema,
  toolInputs,
  type ToolInput,
  type ToolProvider,
} from "@toolweave/providers";
import { AgentRuns, SdkCallGate, type AgentRunOptions } from "./call-gate.ts";
import { isAnswerable } from "./waiting-calls.ts";

/**
 * A function tool of the SDK's, with what `agentTools` sets of it: what an `Agent` takes among its
 * `tools`. One for any context is one for every context.
 */
export type AgentTool<Context = unknown> = Pick<
  FunctionTool<Context, FunctionTool["parameters"], AgentToolOutput>,
  | "type"
  | "name"
  | "description"
  | "parameters"
  | "strict"
  | "isEnabled"
  | "needsApproval"
  | "invoke"
>;

/** Options of `agentTools`. */
export interface AgentToolsOptions<Context = unknown> {
  /**
   * Returns the options of the calls of one agent run: caller, session, limits, injected values. Called once for each
   * run, with the SDK's context of it; the agents that it runs as tools, or hands over to, belong to it. Default: no
   * caller.
   */
  readonly run?: (runContext: RunContext<Context>) => AgentRunOptions;
  /**
   * The provider of the model, whose rules the schemas follow then. Default: a schema that some provider would refuse
   * becomes one that all of them accept, and all others stay unchanged.
   */
  readonly provider?: ToolProvider;
}

/**
 * Gives every tool of an executor, or of one run, to agents of the OpenAI Agents SDK. Every call goes through the
 * executor's pipeline. The model reads the result's bounded content; a failure is a text that it reads, too. A
 * cancelled call ends the agent's run.
 *
 * A call that the policy asks about becomes one of the SDK's interruptions, and runs after `result.state.approve(…)`:
 * once, with exactly the arguments of the request, within 24 hours, and for the same caller and session. The sealed
 * call travels in the run's context object, and so in `RunState.toString()`: another process can resume it if its
 * executor has the same `key`.
 *
 * In place of more than 100 tools, a model is given a search with a constant list. A run with a search of its own is
 * not changed.
 *
 * @param target an executor: each agent run then has a `ToolRun` of its own; or one such run, for a single run of an
 * agent.
 * @returns the tools as they are once every source has loaded, for any number of agents and runs. Each run lists those
 * of them that its caller may call at that time.
 * @throws ToolError `invalid_configuration` (by rejecting) for another target, for an invalid option, and for `run`
 * beside a `ToolRun`.
 * @example
 * ```ts
 * const agent = new Agent({ name: "Guard", tools: await agentTools(executor) });
 * ```
 */
export async function agentTools<Context = unknown>(
  target: ToolExecutor | ToolRun,
  options: AgentToolsOptions<Context> = {},
): Promise<AgentTool<Context>[]> {
  checkOptions("agentTools", options, ["run", "provider"]);
  const toInput = toolInputs("agentTools", options.provider);
  const { executor, run } = await resolveTarget("agentTools", target);
  if (run !== undefined && options.run !== undefined) {
    throw integrationError("agentTools", "the option run is only for an executor");
  }
  const { specs, builtIns, start } =
    run === undefined ? await listForExecutor(executor, options.run) : listForRun(run);
  const gate = new SdkCallGate(executor, builtIns, new AgentRuns(start));
  return Array.from(specs, (spec) => agentTool(spec, toInput(spec), gate));
}

interface ListedTool<Context> {
  /** All tools that a model may be given in some run. */
  readonly specs: Iterable<ToolSpec>;
  /** A toolset with the built-in ones of them. */
  readonly builtIns: Toolset;
  readonly start: (runContext: RunContext<Context>) => ToolRun;
}

async function listForExecutor<Context>(
  executor: ToolExecutor,
  runOptions: AgentToolsOptions<Context>["run"],
): Promise<ListedTool<Context>> {
  const all = executor.registry.toolset();
  const search = await searchOptions(all);
  const start = (options: AgentRunOptions = {}): ToolRun => {
    const run = executor.startRun({ ...options, ...search });
    run.freezeToolset();
    return run;
  };
  // Callers may differ in the tools that they may call: in each run the others are hidden.
  const byName = new Map(search.search ? [] : all.specs().map((spec) => [spec.name, spec]));
  const { toolset: builtIns } = start();
  for (const spec of builtIns.specs()) byName.set(spec.name, spec);
  return {
    specs: byName.values(),
    builtIns,
    start: (runContext) => start(runOptions?.(runContext)),
  };
}

function listForRun<Context>(run: ToolRun): ListedTool<Context> {
  const toolset = run.freezeToolset();
  const start = (): ToolRun => run;
  if (!isGrowing(toolset)) return { specs: toolset.specs(), builtIns: toolset, start };
  const names = Array.from(toolset.callableNames());
  const specs = names.flatMap((name) => toolset.callable(name)?.tool.spec ?? []);
  return { specs, builtIns: toolset, start };
}

/**
 * The SDK recognises a tool that never needs approval by this function only, which `tool()` makes (0.20). The executor
 * checks such a call like any other.
 */
const neverAsks = tool({
  name: "never",
  description: "",
  parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
  strict: false,
  needsApproval: false,
  execute: () => "",
}).needsApproval;

/** Creates the tool without the SDK's `tool()`, which would parse input and handle errors before this package. */
function agentTool<Context>(
  { name, description }: ToolSpec,
  toolInput: ToolInput,
  gate: SdkCallGate<Context>,
): AgentTool<Context> {
  let strict: boolean | undefined;
  const needsApproval: AgentTool<Context>["needsApproval"] = (runContext, args, callId = "") => {
    const call = { callId, name, args: args as JsonObject, toolInput };
    return gate.needsApproval(runContext as RunContext<Context>, call);
  };
  return {
    type: "function",
    name,
    description,
    // A schema is not read before a model is given it.
    get parameters() {
      return toolInput.schema as AgentTool["parameters"];
    },
    get strict() {
      return (strict ??= isStrictSchema(toolInput.schema));
    },
    isEnabled: (runContext) => gate.isListed(runContext, name),
    // The SDK asks a person about input that is no object, unless the tool never needs approval.
    get needsApproval() {
      return gate.mayAsk(name) ? needsApproval : neverAsks;
    },
    async invoke(runContext, text, details) {
      const { toolCall, signal } = details ?? {};
      const callId = toolCall?.callId ?? crypto.randomUUID();
      const call = { callId, name, namespace: toolCall?.namespace, text, toolInput };
      const outcome = await gate.execute(runContext, call, signal);
      if (outcome === undefined) return notApprovedText(name);
      // Without the exception, the agent would continue.
      if (outcome.status === "failed" && outcome.error.code === "cancelled") {
        throw signal?.aborted === true ? signal.reason : outcome.error;
      }
      return toAgentOutput(outcome);
    },
  };
}

/** The result of a call for the SDK: one text, or parts when it is more than text. */
export type AgentToolOutput = string | OutputPart[];

type OutputPart = ToolOutputText | ToolOutputImage | ToolOutputFileContent;

/**
 * The result's bounded content; for a pending call, what it waits for. A failure is a text, too. Never a value of the
 * tool's own: the SDK would take what looks like a part for one, links included.
 */
function toAgentOutput(outcome: ToolOutcome): AgentToolOutput {
  if (outcome.status !== "interrupted") return modelContent(outcome.result.content, toFilePart);
  const { interruption } = outcome;
  return isAnswerable(interruption.requests)
    ? waitingText(
        interruption,
        "To request it from a person, make the very same call once more: it resumes where it stopped.",
      )
    : waitingText(interruption);
}

/** With another type, a request would be rejected, and with it the whole run. */
function toFilePart(file: ContentFile): OutputPart | undefined {
  const { mediaType, data } = file;
  if (imageTypes.has(mediaType)) {
    return { type: "image", image: `data:${mediaType};base64,${data}` };
  }
  if (mediaType !== "application/pdf") return undefined;
  return { type: "file", file: { data, mediaType, filename: fileName(file) ?? "file" } };
}
