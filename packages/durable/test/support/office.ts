import { defineTool, ToolExecutor, ToolRegistry, type ExecutorOptions } from "@toolweave/core";
import { memoryLedger, memoryPendingCalls } from "@toolweave/core/stores";
import { subAgentTool } from "@toolweave/subagent";
import { scriptedModel, type Asked, type Said } from "@toolweave/test-support/scripted-model";

export const key = "a key of the tests that has 32 bytes or more";

/** The effects so far, and the turns of the models. */
export interface Office {
  readonly effects: string[];
  readonly turns: string[];
  /** The results that models have read. */
  readonly read: string[];
  /** Called after each effect, before its tool returns. */
  afterEffect: (name: string) => Promise<void>;
}

export function newOffice(): Office {
  return { effects: [], turns: [], read: [], afterEffect: async () => {} };
}

/** A director who pays two bills at once, has a clerk send two letters, and files the case. */
function director({ turn }: Asked): Said {
  switch (turn) {
    case 0:
      return {
        calls: [
          { id: "a", name: "pay", input: { item: "rent" } },
          { id: "b", name: "pay", input: { item: "power" } },
        ],
      };
    case 1:
      return { calls: [{ id: "c", name: "clerk", input: { task: "Send two letters." } }] };
    case 2:
      return { calls: [{ id: "d", name: "file", input: { item: "case" } }] };
    default:
      return { text: "Done." };
  }
}

function clerk({ turn }: Asked): Said {
  return turn < 2
    ? { calls: [{ id: "l", name: "send", input: { item: `letter ${turn}` } }] }
    : { text: "Both letters are sent." };
}

/** The tools and models of one process. */
export function openOffice(
  office: Office,
  shared: Pick<ExecutorOptions, "ledger" | "pendingCalls"> = sharedStores(),
  policy: ExecutorOptions["policy"] = "autonomous",
) {
  const act = (name: string) =>
    defineTool({
      name,
      description: `Does ${name}.`,
      input: {
        type: "object",
        properties: { item: { type: "string" } },
        required: ["item"],
      },
      execute: async ({ item }) => {
        office.effects.push(`${name} ${item}`);
        await office.afterEffect(name);
        return `${name} ${item}: done`;
      },
    });
  const model = (who: string, script: (asked: Asked) => Said) =>
    scriptedModel((asked) => {
      office.turns.push(`${who} ${asked.turn}`);
      office.read.push(...asked.results);
      return script(asked);
    });
  const sub = subAgentTool({
    name: "clerk",
    description: "Sends letters.",
    system: "You send letters.",
    model: model("clerk", clerk),
    tools: ["send"],
  });
  const registry = new ToolRegistry([act("pay"), act("send"), act("file"), sub]);
  const executor = new ToolExecutor({ registry, key, ...shared, ...(policy && { policy }) });
  return { executor, model: model("director", director), tools: ["pay", "file", "clerk"] };
}

/** The stores that all processes share. */
export function sharedStores() {
  return { ledger: memoryLedger(), pendingCalls: memoryPendingCalls() };
}
