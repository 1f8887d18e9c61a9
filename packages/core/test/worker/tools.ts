import { setTimeout as later } from "node:timers/promises";
import { z } from "zod";
import { defineTool } from "../../src/index.ts";

const input = { type: "object" } as const;
const description = "For tests.";

export const spin = defineTool({
  ...{ name: "spin", description, input, timeoutMs: 200 },
  execute: () => {
    for (;;);
  },
});

export const others = [
  defineTool({
    ...{ name: "book", description },
    input: z.object({ code: z.string().regex(/^[a-z]$/i) }),
    output: z.object({ code: z.string() }),
    execute: ({ code }) => ({ code, more: 1 }),
  }),
  defineTool({
    ...{ name: "echo", description, input },
    execute: (args, { callId, attempt, injected, caller }) => ({
      ...{ args, callId, attempt, injected: injected as never },
      ...{
        caller: caller?.id ?? "",
        home: process.env["HOME"] ?? "",
        given: process.env["GIVEN"] ?? "",
      },
    }),
  }),
  defineTool({
    ...{ name: "throw_later", description, input },
    execute: () =>
      new Promise(() => {
        setTimeout(() => {
          throw new Error("the timer failed");
        });
      }),
  }),
  defineTool({ ...{ name: "exit", description, input }, execute: () => process.exit(3) }),
  defineTool({
    ...{ name: "fail", description, input },
    execute: () => {
      throw new Error("no such book");
    },
  }),
  defineTool({
    ...{ name: "stream", description, input },
    execute: async function* () {
      yield { content: [{ type: "text", text: "one" }] };
      await later(1);
      return { content: [{ type: "text", text: "two" }] };
    },
  }),
  defineTool({
    ...{ name: "cooperate", description, input, timeoutMs: 100 },
    execute: (_, { signal }) =>
      new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("stopped"))),
  }),
  defineTool({
    ...{ name: "pay", description, input },
    needsApproval: ({ amount }) => Number(amount) > 5,
    execute: ({ amount }) => `paid ${String(amount)}`,
  }),
  defineTool({
    ...{ name: "transfer", description, input, needsApproval: true },
    execute: () => "transferred",
  }),
  defineTool({ ...{ name: "nest", description, input }, execute: (_, ctx) => String(ctx.scope) }),
];
export const notATool = 7;
