import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type ExecutorOptions,
  type Tool,
} from "@toolweave/core";
import { museumTools } from "@toolweave/test-support/tools";

/** A museum where removing needs approval and looking does not. */
export function museum(
  options: Omit<ExecutorOptions, "registry"> = {},
  ...others: readonly Tool[]
) {
  const { remove, look, ...calls } = museumTools();
  const registry = new ToolRegistry([defineTool(remove), defineTool(look), ...others]);
  return { executor: new ToolExecutor({ registry, ...options }), ...calls };
}
