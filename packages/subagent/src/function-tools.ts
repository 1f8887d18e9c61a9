import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { ToolSpec, Toolset } from "@toolweave/core";

const known = new WeakMap<Toolset, LanguageModelV4FunctionTool[]>();

/** The tools that a toolset shows, as a model takes them; the same list for the same toolset. */
export function functionTools(toolset: Toolset): LanguageModelV4FunctionTool[] {
  let tools = known.get(toolset);
  if (tools === undefined) known.set(toolset, (tools = toolset.specs().flatMap(functionTool)));
  return tools;
}

/** None for a tool whose schema cannot be had: one of them must not cost all the others. */
function functionTool(spec: ToolSpec): LanguageModelV4FunctionTool | readonly never[] {
  try {
    const { name, description } = spec;
    const inputSchema = spec.inputSchema as LanguageModelV4FunctionTool["inputSchema"];
    return { type: "function", name, description, inputSchema };
  } catch {
    return [];
  }
}
