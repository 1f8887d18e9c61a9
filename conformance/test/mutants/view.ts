import { ofTool, type Mutant } from "../mutant.ts";

export const viewMutants: readonly Mutant[] = [
  ofTool("TW-VIEW-001", "add", "a tool that goes by the name it is called by", (tool) => ({
    invoke: (args, ctx) => {
      if (ctx.toolName !== "add") throw new Error(`unknown tool ${ctx.toolName}`);
      return tool.invoke(args, ctx);
    },
  })),
];
