import {
  defineTool,
  suspend,
  ToolExecutor,
  ToolRegistry,
  type ExecutorOptions,
  type Tool,
} from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import type { ScriptedCall } from "./graphs.ts";

const id = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } as const;

/** Tools that record their actions. */
export interface Workshop {
  readonly executor: ToolExecutor;
  /** The actions, in order: `look 1`. */
  readonly done: string[];
}

/**
 * `look` runs, `remove` needs approval, `plan` asks a person while it runs, `pack` twice.
 *
 * @param done the list for their records, if not their own.
 */
export function workshop(
  options: Omit<ExecutorOptions, "registry"> = {},
  more: readonly Tool[] = [],
  done: string[] = [],
): Workshop {
  const lookTool = defineTool({
    name: "look",
    description: "Look at something.",
    input: id,
    execute: ({ id }) => {
      done.push(`look ${id}`);
      return { seen: id };
    },
  });
  const removeTool = defineTool({
    name: "remove",
    description: "Remove something.",
    input: id,
    needsApproval: true,
    execute: ({ id }) => {
      done.push(`remove ${id}`);
      return { removed: id };
    },
  });
  const planTool = defineTool({
    name: "plan",
    description: "Plan something for a day that a person names.",
    input: id,
    execute: ({ id }, { resumed }) => {
      if (resumed === undefined) {
        done.push(`ask ${id}`);
        return suspend([{ id: "day", type: "input", message: "Which day?" }], null);
      }
      const [answer] = resumed.answers;
      done.push(`plan ${id}`);
      return `planned for ${answer?.type === "input" ? String(answer.value) : "no day"}`;
    },
  });
  const pack = defineTool({
    name: "pack",
    description: "Pack something, in the way that a person says.",
    input: id,
    execute: ({ id }, { resumed }) => {
      const round = typeof resumed?.state === "number" ? resumed.state : 0;
      done.push(`pack ${id} round ${round}`);
      if (round === 2) return "packed";
      return suspend([{ id: "how", type: "input", message: `How, ${round}?` }], round + 1);
    },
  });
  const registry = new ToolRegistry([lookTool, removeTool, planTool, pack, ...more]);
  return { executor: new ToolExecutor({ registry, ...options }), done };
}

/**
 * A workshop that is in another process each time: the key, the store and the list are the same.
 */
export function restarting(more: readonly Tool[] = []): {
  readonly done: string[];
  readonly executor: () => ToolExecutor;
} {
  const done: string[] = [];
  const shared = { key: "k".repeat(32), pendingCalls: memoryPendingCalls() };
  return { done, executor: () => workshop(shared, more, done).executor };
}

/** A model's call of `look`. */
export function look(id: string, what: number): ScriptedCall {
  return { id, name: "look", args: { id: what } };
}

/** A model's call of `remove`. */
export function remove(id: string, what: number): ScriptedCall {
  return { id, name: "remove", args: { id: what } };
}

/** A model's call of `plan`. */
export function plan(id: string, what: number): ScriptedCall {
  return { id, name: "plan", args: { id: what } };
}
