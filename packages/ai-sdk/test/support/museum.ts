import { defineTool, ToolExecutor, ToolRegistry, type ExecutorOptions } from "@toolweave/core";
import { call, scripted } from "@toolweave/test-support/scripted-turns";
import { museumTools } from "@toolweave/test-support/tools";
import type { AiTools } from "../../src/index.ts";
import { askedIn, Conversation, type Asked } from "./conversation.ts";

/** A conversation that waits for an answer. */
export interface Waiting {
  readonly conversation: Conversation;
  readonly asked: Asked[];
}

/** A museum where removing needs approval and looking does not. */
export function museum(options: Omit<ExecutorOptions, "registry"> = {}) {
  const { remove, look, ...calls } = museumTools();
  const registry = new ToolRegistry([defineTool(remove), defineTool(look)]);
  return { executor: new ToolExecutor({ registry, ...options }), ...calls };
}

/** A conversation that waits for the approval to remove exhibit 7. */
export async function askedToRemove(tools: AiTools): Promise<Waiting> {
  const conversation = new Conversation();
  const result = await conversation.go(scripted([call("c1", "remove", { id: 7 })]), tools);
  return { conversation, asked: askedIn(result) };
}
