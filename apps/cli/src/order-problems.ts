import type { RegisteredTool, RegistryProblem } from "@toolweave/core";
import { scanSpec } from "@toolweave/core/scan";

/**
 * A warning for each text of a tool that seems to give a model orders. Sources of MCP servers tell of theirs by
 * themselves; for large documents that would be dear whenever they are loaded.
 */
export function orderProblems(tools: readonly RegisteredTool[]): readonly RegistryProblem[] {
  return tools.flatMap(({ tool, source }) => {
    const { spec } = tool;
    if (spec.provenance.adapter === "mcp") return [];
    return scanSpec(spec).map(({ says, excerpt, pointer }) => {
      const message = `What ${source} says of the tool ${spec.name} ${says}: ${JSON.stringify(excerpt)}. Read it before you trust it.`;
      return { source, subject: spec.name, message, pointer, severity: "warning" };
    });
  });
}
