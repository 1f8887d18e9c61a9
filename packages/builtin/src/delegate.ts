import type { Tool } from "@toolweave/core";
import { checks } from "@toolweave/core/adapter";
import { subAgentTool, type AgentLimits, type SubAgentOptions } from "@toolweave/subagent";

/** The limits of other systems: those of phi-core's sub-agents, and of ZeroClaw's delegation. */
export type DelegatePreset = "phi" | "zeroclaw";

/** Options of `delegateTool`. All but `model` have defaults. */
export interface DelegateOptions extends Partial<Omit<SubAgentOptions, "model">> {
  readonly model: SubAgentOptions["model"];
  /**
   * Limits to begin with. `phi`: 10 turns, 1,000,000 tokens, 300 s, no sub-agents below. `zeroclaw`: 3 levels of
   * sub-agents. Default: those of `subAgentTool`.
   */
  readonly preset?: DelegatePreset;
  /** The call continues as a task, and the agent that has delegated continues meanwhile. Default: false. */
  readonly background?: boolean;
}

interface Defaults {
  readonly limits?: AgentLimits;
  readonly maxDepth?: number;
}

const presets: Readonly<Record<DelegatePreset, Defaults>> = {
  phi: { limits: { turns: 10, tokens: 1_000_000, durationMs: 300_000 }, maxDepth: 1 },
  zeroclaw: { maxDepth: 3 },
};

const presetCheck = checks.oneOf(...Object.keys(presets));

/**
 * The tool `delegate`: a sub-agent for tasks of any kind, with the tools that its caller has. See `subAgentTool` of
 * `@toolweave/subagent`, whose options apply.
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 * @example
 * ```ts
 * const registry = new ToolRegistry([delegateTool({ model, preset: "zeroclaw" })]);
 * ```
 */
export function delegateTool(options: DelegateOptions): Tool {
  checks.object.check("delegateTool: options", options);
  const { preset, background = false, limits, ...given } = options;
  if (preset !== undefined) presetCheck.check("delegateTool: preset", preset);
  const defaults: Defaults = preset === undefined ? {} : presets[preset];
  const tool = subAgentTool({
    name: "delegate",
    description:
      "Delegate a task to another agent, which works on it with the same tools and answers with the result. Use it for work whose details are not needed afterwards.",
    system:
      "You work on one task for another agent. Do exactly that, with the tools that you have, and answer with the result alone: what you found or did, and what remains open.",
    tools: ["*"],
    ...defaults,
    ...given,
    limits: { ...defaults.limits, ...limits },
  });
  if (!background) return tool;
  // Schemas stay lazy: descriptors are copied, not read.
  const spec = Object.defineProperties({}, Object.getOwnPropertyDescriptors(tool.spec));
  Object.defineProperty(spec, "execution", { value: "task", enumerable: true });
  return { ...tool, spec: spec as Tool["spec"] };
}
