import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import type { CallLedger } from "@toolweave/core/stores";
import type { DurableAgentOptions } from "@toolweave/durable";
import type { PostgresStore } from "@toolweave/postgres";
import { subAgentTool } from "@toolweave/subagent";
import { scriptedModel, type Said } from "@toolweave/test-support/scripted-model";
import type { EffectLog } from "../effect-log/client.ts";
import { agentTool, toAgentAttempt } from "../history/agent-events.ts";
import { agentTurns, workerKey } from "./messages.ts";

type Calls = NonNullable<Said["calls"]>;

const acts = (...ids: readonly string[]): Calls => ids.map((id) => ({ id, name: agentTool }));

/** The calls of each turn. The turn after the last one is the answer. */
const plans = {
  agent: (task: string): readonly Calls[] => [
    acts("act_1"),
    acts("act_2", "act_3"),
    // Its task is the id of its run.
    [{ id: "part_1", name: "clerk", input: { task: `${task}/part_1` } }],
    acts("act_4", "act_5"),
    acts("act_6"),
  ],
  clerk: (): readonly Calls[] => [acts("act_1"), acts("act_2", "act_3")],
};

/**
 * The agent of every worker: 6 turns, with a sub-agent of 3 turns, and 9 calls that have effects. Its model does what it
 * has planned, also if the outcome of a call is unknown to it, and uses all its turns. The task is the id of the run.
 */
export function chaosAgent(
  worker: string,
  { ledger, pendingCalls }: Pick<PostgresStore, "ledger" | "pendingCalls">,
  log: EffectLog,
): Omit<DurableAgentOptions, "name"> {
  const model = (who: keyof typeof plans) =>
    scriptedModel(async ({ turn, task, results, calls }) => {
      const [runId = ""] = task.split("/");
      await log.addEvent({ event: "turn", runId, worker });
      for (const [index, callId] of (calls.at(-1) ?? []).entries()) {
        if (!callId.startsWith("act_")) continue;
        const text = results[index] ?? "";
        await log.addEvent({ event: "result", runId: task, callId, worker, text });
      }
      const planned = plans[who](task)[turn];
      return planned === undefined ? { text: "Done." } : { calls: planned };
    });
  const act = defineTool({
    name: agentTool,
    description: "Acts.",
    input: { type: "object" },
    execute: async (_args, { runId, callId, toolName: tool }) => {
      await delay(Math.random() * 8);
      await log.add({ runId, callId, tool, attempt: toAgentAttempt(runId, callId), worker });
      await delay(Math.random() * 8);
      return { receipt: randomUUID() };
    },
  });
  const clerk = subAgentTool({
    name: "clerk",
    description: "Does a part.",
    system: "You do a part.",
    model: model("clerk"),
    tools: [agentTool],
  });
  const executor = new ToolExecutor({
    registry: new ToolRegistry([act, clerk]),
    ledger: recordedLedger(ledger, worker, log),
    pendingCalls,
    key: workerKey,
    policy: "autonomous",
  });
  return { executor, model: model("agent"), limits: { turns: agentTurns } };
}

/** Records when calls are in flight: from before their begin until the ledger has their end. */
function recordedLedger(ledger: CallLedger, worker: string, log: EffectLog): CallLedger {
  return {
    begin: async (call) => {
      const { runId, token: attempt } = call;
      // The ledger has a path: the calls above it, and the id that its tool gets, with "/" escaped.
      const callId = decodeURIComponent(call.callId.split("/").at(-1) ?? "");
      await log.addEvent({ event: "begin", runId, callId, worker, attempt });
      const entry = await ledger.begin(call);
      if (entry.status !== "begun") await log.addEvent({ event: "end", attempt });
      return entry;
    },
    end: async (claim, end) => {
      const isStored = await ledger.end(claim, end);
      await log.addEvent({ event: "end", attempt: claim.token });
      return isStored;
    },
  };
}
