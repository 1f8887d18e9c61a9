import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { forwardToClient, serveMcp } from "../../src/gateway/index.ts";

const registry = new ToolRegistry([
  defineTool({
    name: "add",
    description: "Adds.",
    input: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
    execute: ({ a, b }) => a + b,
  }),
  defineTool({
    name: "drop",
    description: "Drops everything.",
    input: { type: "object", properties: {} },
    annotations: { destructiveHint: true },
    execute: async (_args, ctx) => {
      const form = { type: "object", properties: {} };
      const answer = await forwardToClient.onElicitation(
        { message: "All?", requestedSchema: form },
        ctx,
      );
      return `dropped: ${answer.action}`;
    },
  }),
]);
const executor = new ToolExecutor({ registry });
const gateway = serveMcp(registry, executor, { instructions: "Add first." });
await gateway.stdio().closed;
await gateway.close();
await registry.close();
