import { defineTool, suspend, type Tool } from "@toolweave/core";
import { forwardToClient } from "../../src/gateway/index.ts";
import { opening } from "./open-gateway.ts";

/** A tool that is a task, and works until it is released, or stopped. */
export function work(): { readonly tool: Tool; readonly stopped: () => boolean; release(): void } {
  const gate = opening();
  let isStopped = false;
  const tool = defineTool({
    name: "work",
    description: "Works.",
    input: { type: "object", properties: {} },
    execution: "task",
    async execute(_args, { signal, progress }) {
      progress({ message: "Begun", done: 1 });
      const aborted = new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          isStopped = true;
          reject(signal.reason as Error);
        });
      });
      await Promise.race([gate.opened, aborted]);
      return "done";
    },
  });
  return { tool, stopped: () => isStopped, release: () => gate.open() };
}

/** A tool that asks before it answers, and may wait for that. */
export const asking: Tool = defineTool({
  name: "ask",
  description: "Asks.",
  input: { type: "object", properties: {} },
  execution: "task",
  execute: (_args, { resumed }) => {
    const [answer] = resumed?.answers ?? [];
    if (answer?.type === "input") return `It is ${JSON.stringify(answer.value)}.`;
    if (answer !== undefined) return "No answer.";
    return suspend([{ id: "q", type: "input", message: "Which one?" }], null);
  },
});

/** A tool that asks while it runs. */
export const live: Tool = defineTool({
  name: "live",
  description: "Asks while it runs.",
  input: { type: "object", properties: {} },
  execution: "task",
  async execute(_args, ctx) {
    const { action } = await forwardToClient.onElicitation({ message: "Sure?" }, ctx);
    return `The answer: ${action}`;
  },
});
