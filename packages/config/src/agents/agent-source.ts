import { toolsSource, type Tool, type ToolRegistry, type ToolSource } from "@toolweave/core";
import { SecretSet, type SourceProblem } from "@toolweave/core/adapter";
import { subAgentTool } from "@toolweave/subagent";
import type { ConfiguredAgent } from "./configured-agent.ts";

/** An agent as a source of one tool. Its problems are what it names of the registry and the registry does not have. */
export function agentSource(
  { options, program, pointer }: ConfiguredAgent,
  registry: ToolRegistry,
): ToolSource {
  const { name, tools } = options;
  const globs = Array.isArray(tools) ? (tools as readonly string[]) : [];
  return {
    ...toolsSource(name, [withProgram(subAgentTool(options), program)]),
    secrets: new SecretSet(),
    get problems(): readonly SourceProblem[] {
      // Missing tools may belong to a source that is loading or has failed.
      if (registry.loading || registry.failedSources.length > 0) return [];
      const all = registry.toolset();
      return globs.flatMap((glob, index) =>
        all.select({ include: [glob] }).size > 0
          ? []
          : {
              subject: name,
              message: `No tool is called ${JSON.stringify(glob)}: the agent works without.`,
              pointer: `${pointer}/tools/${index}`,
              severity: "warning" as const,
            },
      );
    },
  };
}

/** The same tool, with what runs behind its name: approvals, grants and locks are for that. */
function withProgram(tool: Tool, program: string): Tool {
  const { provenance } = tool.spec;
  const spec = Object.defineProperties({} as Tool["spec"], {
    ...Object.getOwnPropertyDescriptors(tool.spec),
    provenance: {
      value: { ...provenance, origin: { ...provenance.origin, program } },
      enumerable: true,
    },
  });
  return { ...tool, spec };
}
