import type { FunctionTool, RunContext } from "@openai/agents-core";
import {
  checkOptions,
  ToolError,
  type JsonObject,
  type ToolExecutor,
  type ToolRun,
  type ToolSpec,
} from "@toolweave/core";
import { toolSearch } from "@toolweave/core/search";
import { AgentRuns, type AgentRunOptions } from "./agent-runs.ts";
import { CallGate } from "./call-gate.ts";
import { fitsStrictMode } from "./strict-schema.ts";
import { notApproved, outputOf, type AgentToolOutput } from "./tool-output.ts";

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
}

/** With more tools than these, a model is given a search in their place. */
const maxListed = 100;

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
 * @throws ToolError `internal` (by rejecting) for another target, and for `run` beside a `ToolRun`.
 * @example
 * ```js
 * const agent = new Agent({ name: "Guard", tools: await agentTools(executor) });
 * ```
 */
export async function agentTools<Context = unknown>(
  target: ToolExecutor | ToolRun,
  options: AgentToolsOptions<Context> = {},
): Promise<AgentTool<Context>[]> {
  const isExecutor = "startRun" in target;
  if (!isExecutor && !("checkAdmission" in target)) {
    throw misuse("it takes a ToolExecutor, or what its startRun() gives.");
  }
  if (!isExecutor && options.run !== undefined) {
    throw misuse("a ToolRun has been started already: leave `run` out, or pass its executor.");
  }
  checkOptions("agentTools", options, ["run"]);
  const executor = isExecutor ? target : target.executor;
  await executor.registry.ready;
  const { specs, start } = isExecutor ? ofExecutor(target, options.run) : ofRun(target);
  const gate = new CallGate(new AgentRuns(start));
  return Array.from(specs, (spec) => agentTool(spec, gate));
}

interface ListedTool<Context> {
  /** All tools that a model may be given in some run. */
  readonly specs: Iterable<ToolSpec>;
  readonly start: (runContext: RunContext<Context>) => ToolRun;
}

function ofExecutor<Context>(
  executor: ToolExecutor,
  optionsOf: AgentToolsOptions<Context>["run"],
): ListedTool<Context> {
  const all = executor.registry.toolset();
  const searches = all.size > maxListed;
  const search = searches ? { search: toolSearch({ form: "constant" }) } : {};
  const start = (options: AgentRunOptions = {}): ToolRun => {
    const run = executor.startRun({ ...options, ...search });
    run.freezeToolset();
    return run;
  };
  // Callers may differ in the tools that they may call: in each run the others are hidden.
  const byName = new Map(searches ? [] : all.specs().map((spec) => [spec.name, spec]));
  for (const spec of start().toolset.specs()) byName.set(spec.name, spec);
  return { specs: byName.values(), start: (runContext) => start(optionsOf?.(runContext)) };
}

function ofRun<Context>(run: ToolRun): ListedTool<Context> {
  const toolset = run.freezeToolset();
  const start = (): ToolRun => run;
  const grows = toolset.searchable !== undefined && toolset.get("call_tool") === undefined;
  if (!grows) return { specs: toolset.specs(), start };
  const names = Array.from(toolset.callableNames());
  return { specs: names.flatMap((name) => toolset.callable(name)?.tool.spec ?? []), start };
}

/** Made by hand: the SDK's own `tool()` would parse, log and handle errors before this package receives them. */
function agentTool<Context>(spec: ToolSpec, gate: CallGate<Context>): AgentTool<Context> {
  const { name, description } = spec;
  let strict: boolean | undefined;
  return {
    type: "function",
    name,
    description,
    // Schemas stay unrealised until a model is given them.
    get parameters() {
      return spec.inputSchema as AgentTool["parameters"];
    },
    get strict() {
      return (strict ??= fitsStrictMode(spec.inputSchema));
    },
    isEnabled: (runContext) => gate.shows(runContext, name),
    // The SDK asks only about what is an object.
    needsApproval: (runContext, input, callId = "") =>
      gate.asks(runContext as RunContext<Context>, name, input as JsonObject, callId),
    async invoke(runContext, text, details) {
      const { toolCall, signal } = details ?? {};
      const callId = toolCall?.callId ?? crypto.randomUUID();
      const call = { callId, name, namespace: toolCall?.namespace, text };
      const outcome = await gate.execute(runContext, call, signal);
      if (outcome === undefined) return notApproved(name);
      // If it were swallowed, the agent would continue.
      if (outcome.status === "failed" && outcome.error.code === "cancelled") {
        throw signal?.aborted === true ? signal.reason : outcome.error;
      }
      return outputOf(outcome);
    },
  };
}

function misuse(what: string): ToolError {
  return new ToolError("internal", `agentTools: ${what}`);
}
