import { setTimeout as delay } from "node:timers/promises";
import { defineTool, type JsonObject, type Tool, type ToolContext } from "@toolweave/core";
import { forwardToClient } from "@toolweave/mcp/serve";
import type { EffectLog } from "../effect-log/client.ts";
import { toResultText } from "../history/result-text.ts";
import { endMarks } from "./gateway-settings.ts";

const properties = { runId: { type: "string" }, callId: { type: "string" } } as const;
const required = ["runId", "callId"] as const;
const input = { type: "object", properties, required } as const;

/**
 * The tools of a gateway. Each records its effect in the log, which is the only effect that it has. A call has the ids
 * that its client gives it, so that the log can tell whether a client's call had two effects.
 */
export function gatewayTools(worker: string, log: EffectLog): readonly Tool[] {
  const record = async (
    tool: string,
    { runId, callId }: JsonObject,
    ctx: ToolContext,
  ): Promise<void> => {
    const ids = { runId: String(runId), callId: String(callId) };
    const executed = { runId: ctx.runId, callId: ctx.callId };
    await log.add({ ...ids, tool, attempt: ids.callId, worker, executed });
  };
  const pause = (): Promise<void> => delay(Math.random() * 8);
  const withEffect = (
    name: string,
    description: string,
    before: (ctx: ToolContext) => Promise<unknown>,
  ): Tool =>
    defineTool({
      name,
      description,
      input,
      async execute(args, ctx) {
        await before(ctx);
        await record(name, args, ctx);
        await pause();
        return toResultText(worker, String(args["callId"]));
      },
    });
  return [
    defineTool({
      name: "where",
      description: "Returns the name of the gateway.",
      input: { type: "object" },
      execute: () => worker,
    }),
    withEffect("pay", "Pays a bill.", pause),
    withEffect("transfer", "Transfers money, once a person has approved it.", pause),
    withEffect("ask", "Asks a person while it runs.", async (ctx) => {
      const { action } = await forwardToClient.onElicitation({ message: "Sure?" }, ctx);
      if (action !== "accept") throw new Error(`The person has answered ${action}.`);
    }),
    defineTool({
      name: "report",
      description: "Writes a report in the background.",
      input: {
        type: "object",
        properties: {
          ...properties,
          beforeMs: { type: "number" },
          afterMs: { type: "number" },
        },
        required: [...required, "beforeMs", "afterMs"],
      },
      execution: "task",
      async execute({ beforeMs, afterMs, ...ids }, ctx) {
        const { signal } = ctx;
        try {
          await delay(beforeMs, undefined, { signal });
          await record("report", ids, ctx);
          await delay(afterMs, undefined, { signal });
        } catch (error) {
          if (signal.aborted) await record(endMarks.stopped, ids, ctx);
          throw error;
        }
        await record(endMarks.ended, ids, ctx);
        return toResultText(worker, String(ids["callId"]));
      },
    }),
  ];
}
