import type { ToolReturn } from "@toolweave/core";
import { ofTool, type Mutant } from "./mutant.ts";

export const viewMutants: readonly Mutant[] = [
  ofTool("TW-VIEW-001", "add", "a tool that uses the name it is called by", (tool) => ({
    invoke: (args, ctx) => {
      if (ctx.toolName !== "add") throw new Error(`unknown tool ${ctx.toolName}`);
      return tool.invoke(args, ctx);
    },
  })),
  ofTool("TW-VIEW-001", "greet", "a tool that calls its neighbour by name", (tool) => ({
    invoke: async (args, ctx) => {
      const call = { id: `${ctx.callId}:sum`, name: "add", arguments: { a: 1, b: 1 } };
      const outcome = await ctx.scope.execute(call);
      if (outcome.status !== "completed") throw new Error("I cannot count.");
      return tool.invoke(args, ctx);
    },
  })),
  ofTool("TW-VIEW-001", "ask_name", "a tool that finds its state by its own name", (tool) => ({
    invoke: (args, ctx) => {
      if (ctx.resumed !== undefined && ctx.toolName !== "ask_name") throw new Error("Not asked.");
      return tool.invoke(args, ctx);
    },
  })),
  ofTool("TW-VIEW-002", "add", "answers that are cached by the run", (tool) => {
    const kept = new Map<string, ToolReturn>();
    return {
      invoke: async (args, ctx) => {
        const known = kept.get(ctx.runId) ?? (await tool.invoke(args, ctx));
        kept.set(ctx.runId, known);
        return known;
      },
    };
  }),
  ofTool("TW-VIEW-003", "add", "a tool that removes a prefix to find its name", (tool) => ({
    invoke: (args, ctx) => {
      const name = ctx.toolName.split("__").at(-1);
      if (name !== "add") throw new Error(`unknown tool ${name}`);
      return tool.invoke(args, ctx);
    },
  })),
];
