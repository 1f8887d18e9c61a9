import {
  defineTool,
  suspend,
  ToolExecutor,
  ToolRegistry,
  type ExecutorOptions,
  type Tool,
} from "@toolweave/core";
import { endlessTool, museumTools } from "@toolweave/test-support/tools";

/** A museum where removing needs approval, looking does not, and lending asks while it runs. */
export function museum(
  options: Omit<ExecutorOptions, "registry"> & { readonly more?: readonly Tool[] } = {},
) {
  const { remove, look, ...calls } = museumTools();
  const lent: string[] = [];
  const lend = defineTool({
    name: "lend",
    description: "Lend an exhibit.",
    input: look.input,
    execute: ({ id }, { resumed }) => {
      lent.push(resumed === undefined ? `packed ${id}` : `sent ${id}`);
      if (resumed !== undefined) return `exhibit ${id} is lent`;
      const permission = {
        kind: "custom.lend",
        target: `${id}`,
        summary: `Send exhibit ${id} away`,
      };
      return suspend([{ id: "send", type: "approval", permission, reason: "It is packed." }], null);
    },
  });
  const { more = [], ...rest } = options;
  const registry = new ToolRegistry([defineTool(remove), defineTool(look), lend, ...more]);
  return { executor: new ToolExecutor({ registry, ...rest }), lent, ...calls };
}

/** Executors with it can resume each other's calls. */
export const key = "a key of 32 characters, or more.";

/** A tool that runs until it is stopped, and its signal once it runs. */
export function endless(needsApproval = false) {
  const { definition, started } = endlessTool(needsApproval);
  return { tool: defineTool(definition), started };
}
