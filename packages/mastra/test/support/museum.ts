import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type ExecutorOptions,
  type Tool,
} from "@toolweave/core";

const id = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } as const;

/** The actions in a museum, and its executor. */
export interface Museum {
  readonly executor: ToolExecutor;
  readonly removed: number[];
  readonly looked: number[];
}

/** A museum where removing needs approval and looking does not. */
export function museum(
  options: Omit<ExecutorOptions, "registry"> = {},
  ...others: readonly Tool[]
): Museum {
  const removed: number[] = [];
  const looked: number[] = [];
  const remove = defineTool({
    name: "remove",
    description: "Remove an exhibit.",
    input: id,
    needsApproval: true,
    execute: ({ id }) => {
      removed.push(id);
      return { removed: id };
    },
  });
  const look = defineTool({
    name: "look",
    description: "Look at an exhibit.",
    input: id,
    execute: ({ id }) => {
      looked.push(id);
      return `exhibit ${id}`;
    },
  });
  const registry = new ToolRegistry([remove, look, ...others]);
  return { executor: new ToolExecutor({ registry, ...options }), removed, looked };
}
