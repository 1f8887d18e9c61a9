import { defineTool, ToolExecutor, ToolRegistry, type ExecutorOptions } from "@toolweave/core";
import type { AiTools } from "../../src/index.ts";
import { askedIn, Conversation, type Asked } from "./conversation.ts";
import { call, scripted } from "./scripted-model.ts";

const id = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } as const;

/** The actions in a museum, and its executor. */
export interface Museum {
  readonly executor: ToolExecutor;
  readonly removed: number[];
  readonly looked: number[];
}

/** A conversation that waits for an answer. */
export interface Waiting {
  readonly conversation: Conversation;
  readonly asked: Asked[];
}

/** A museum where removing needs approval and looking does not. */
export function museum(options: Omit<ExecutorOptions, "registry"> = {}): Museum {
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
  const executor = new ToolExecutor({ registry: new ToolRegistry([remove, look]), ...options });
  return { executor, removed, looked };
}

/** A conversation that waits for the approval to remove exhibit 7. */
export async function askedToRemove(tools: AiTools): Promise<Waiting> {
  const conversation = new Conversation();
  const result = await conversation.go(scripted([call("c1", "remove", { id: 7 })]), tools);
  return { conversation, asked: askedIn(result) };
}
