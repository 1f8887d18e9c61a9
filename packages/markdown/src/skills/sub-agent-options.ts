import type { PolicyDefinition, ToolSelection } from "@toolweave/core";
import { checks, cleanName, prefixName } from "@toolweave/core/adapter";
import type { Finding } from "../text/finding.ts";
import { mapTools, type ToolMapping } from "./map-tools.ts";
import type { AgentArtifact } from "./read-agents.ts";
import { fileTool } from "./skill-tools.ts";
import type { Skill } from "./skill.ts";

/** The model, the names of tools and the skills that the host gives to an agent of a file. */
export interface AgentHost<Model> extends ToolMapping {
  /** The model, or a function that chooses one by the names that the file has; empty: the file names none. */
  readonly model: Model | ((names: readonly string[]) => Model);
  /** The skills whose instructions agents may have from the beginning. Default: none. */
  readonly skills?: readonly Skill[];
}

/** The options of `subAgentTool` of `@toolweave/subagent` that come from a file. */
export interface AgentToolOptions<Model> {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly system: string;
  readonly model: Model;
  readonly tools: ToolSelection;
  readonly policy?: PolicyDefinition;
  readonly limits?: { readonly turns: number };
}

/** Options of a sub-agent, and what is wrong with its tools and skills. */
export interface AgentToolReading<Model> {
  readonly options: AgentToolOptions<Model>;
  readonly findings: readonly Finding[];
}

/**
 * Makes the options of `subAgentTool` of an agent. Its tools are those of its caller that the file names: a file never
 * gives a tool, a permission or a model.
 *
 * @example
 * ```ts
 * const { agents } = await agentArtifacts(".");
 * for (const agent of agents) {
 *   const available = registry.toolset().names();
 *   const { options, findings } = toSubAgentOptions(agent, { model: "default", available });
 *   console.log(options.name, options.tools, findings);
 * }
 * ```
 */
export function toSubAgentOptions<Model>(
  agent: AgentArtifact,
  host: AgentHost<Model>,
): AgentToolReading<Model> {
  checks.object.check("toSubAgentOptions: agent", agent);
  checks.object.check("toSubAgentOptions: host", host);
  const { name, title, description, tools, disallowedTools, models, maxTurns, place } = agent;
  const { selection, policy, findings } = mapTools(tools, host, disallowedTools);
  const missing: Finding[] = [];
  const skills = agent.skills.flatMap((wanted) => {
    const skill = host.skills?.find((one) => one.name === wanted);
    if (skill !== undefined) return [skill];
    const message = `the skill ${wanted.slice(0, 80)} of the agent ${name} is not loaded`;
    missing.push({ ...place, code: "unknown_skill", severity: "warning", message });
    return [];
  });
  const texts = [agent.body, ...skills.map((skill) => `# Skill: ${skill.name}\n\n${skill.body}`)];
  return {
    options: {
      name,
      ...(title === undefined ? {} : { title }),
      description,
      system: texts.join("\n\n"),
      model: chooseModel(host, models),
      tools: selection,
      ...(policy === undefined ? {} : { policy }),
      ...(maxTurns === undefined ? {} : { limits: { turns: maxTurns } }),
    },
    findings: [...findings, ...missing],
  };
}

/**
 * Makes the options of `subAgentTool` of a skill: a sub-agent that works by its instructions. Its tools are those of its
 * caller that `allowed-tools` names, and the one that reads its files; without `allowed-tools`, all of its caller's.
 */
export function toSkillAgentOptions<Model>(
  skill: Skill,
  host: AgentHost<Model>,
): AgentToolReading<Model> {
  checks.object.check("toSkillAgentOptions: skill", skill);
  checks.object.check("toSkillAgentOptions: host", host);
  const { selection, policy, findings } = mapTools(skill.allowedTools, host);
  const include = selection.include && [...new Set([...selection.include, fileTool])];
  return {
    options: {
      name: prefixName("agent", cleanName(skill.name)),
      title: skill.name,
      description: skill.description,
      system: `You work by the instructions of the skill ${skill.name}. Its files are read with ${fileTool}.\n\n${skill.body}`,
      model: chooseModel(host, []),
      tools: { ...selection, ...(include === undefined ? {} : { include }) },
      ...(policy === undefined ? {} : { policy }),
    },
    findings,
  };
}

function chooseModel<Model>({ model }: AgentHost<Model>, names: readonly string[]): Model {
  return typeof model === "function"
    ? (model as (names: readonly string[]) => Model)(names)
    : (model as Model);
}
