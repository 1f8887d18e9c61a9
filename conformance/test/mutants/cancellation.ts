import { hanging, ofTool, type Mutant } from "../mutant.ts";

export const cancellationMutants: readonly Mutant[] = [
  ofTool("TW-CANCEL-001", "append_line", "a preflight that does the work", (tool) => ({
    preflight: async (args, ctx) => {
      await tool.invoke(args, ctx as never);
      return [];
    },
    invoke: () => "done",
  })),
  hanging(
    ofTool("TW-CANCEL-002", "wait", "a tool that ignores its signal", () => ({
      invoke: (_, { signal }) =>
        new Promise((resolve) => {
          if (signal.aborted) resolve("stopped");
        }),
    })),
  ),
  hanging(
    ofTool("TW-CANCEL-002", "wait", "a tool that ignores its signal and ends by itself", () => ({
      invoke: (_, { signal }) =>
        signal.aborted
          ? "stopped"
          : new Promise((resolve) => {
              setTimeout(resolve, 1500, "done").unref();
            }),
    })),
  ),
  hanging(
    ofTool("TW-CANCEL-003", "wait", "a tool that waits for a signal that has fired", () => ({
      invoke: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve("stopped"), { once: true });
        }),
    })),
  ),
];
