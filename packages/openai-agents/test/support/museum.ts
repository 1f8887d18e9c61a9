import {
  defineTool,
  suspend,
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
  readonly lent: string[];
}

/** A museum where removing needs approval, looking does not, and lending asks while it runs. */
export function museum(
  options: Omit<ExecutorOptions, "registry"> & { readonly more?: readonly Tool[] } = {},
): Museum {
  const removed: number[] = [];
  const looked: number[] = [];
  const lent: string[] = [];
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
  const lend = defineTool({
    name: "lend",
    description: "Lend an exhibit.",
    input: id,
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
  const registry = new ToolRegistry([remove, look, lend, ...more]);
  return { executor: new ToolExecutor({ registry, ...rest }), removed, looked, lent };
}

/** Executors with it can resume each other's calls. */
export const key = "a key of 32 characters, or more.";

/** A tool that runs until it is stopped, and its signal once it runs. */
export function endless(needsApproval = false): {
  readonly watch: Tool;
  readonly started: Promise<AbortSignal>;
} {
  let start: (signal: AbortSignal) => void = () => {};
  const started = new Promise<AbortSignal>((resolve) => (start = resolve));
  const watch = defineTool({
    name: "watch",
    description: "Watch an exhibit for ever.",
    input: { type: "object" },
    needsApproval,
    execute: (_, { signal }) => {
      start(signal);
      return new Promise<string>(() => {});
    },
  }) as Tool;
  return { watch, started };
}
