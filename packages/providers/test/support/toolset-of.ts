import type { JsonSchema, Tool, Toolset } from "@toolweave/core";
import { ToolsetSnapshot } from "@toolweave/core/adapter";

/** A tool that does nothing, with that schema for its arguments. */
export function createTool(name: string, inputSchema: JsonSchema, description = "It does."): Tool {
  return {
    spec: {
      name,
      description,
      inputSchema,
      annotations: {},
      provenance: { adapter: "test", source: "test", origin: {} },
    },
    invoke: () => ({ content: [] }),
  };
}

/** A snapshot of tools, as a registry creates it, with any names. */
export function createToolset(...tools: readonly Tool[]): Toolset {
  const entries = tools.map(
    (tool) => [tool.spec.name, { tool, source: "test", trusted: true }] as const,
  );
  return new ToolsetSnapshot(1, new Map(entries));
}

/** A snapshot of one tool, `do_it`, with that schema for its arguments. */
export function toolsetWith(inputSchema: JsonSchema): Toolset {
  return createToolset(createTool("do_it", inputSchema));
}
