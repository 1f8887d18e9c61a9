import { hanging, ofSpec, ofTools, withInvoke, type Mutant } from "./mutant.ts";

/** True if a call is stopped because of its timeout. */
function isOverdue({ reason }: AbortSignal): boolean {
  return (reason as { readonly code?: unknown } | undefined)?.code === "timeout";
}

export const timeoutMutants: readonly Mutant[] = [
  hanging(
    ofTools("TW-TIMEOUT-001", "a tool that stops only on cancellation, not on a timeout", (tools) =>
      withInvoke(
        tools,
        "wait",
        (_, { signal }) =>
          new Promise((_, reject) => {
            const stop = (): void => {
              if (!isOverdue(signal)) reject(new Error("stopped"));
            };
            if (signal.aborted) stop();
            signal.addEventListener("abort", stop, { once: true });
          }),
      ),
    ),
  ),
  ofTools("TW-TIMEOUT-002", "half of the work, kept after the timeout", (tools, world) =>
    withInvoke(tools, "log_slowly", async (args, ctx, log) => {
      try {
        return await log(args, ctx);
      } catch (error) {
        if (!isOverdue(ctx.signal)) throw error;
        world.lines.push("half");
        return "half";
      }
    }),
  ),
  ofTools("TW-TIMEOUT-003", "a circuit that opens and never closes", (tools) => {
    let open = false;
    const waiting = withInvoke(tools, "wait", async (args, ctx, wait) => {
      ctx.signal.addEventListener("abort", () => (open ||= isOverdue(ctx.signal)), { once: true });
      return wait(args, ctx);
    });
    return withInvoke(waiting, "add", (args, ctx, add) => {
      if (open) throw new Error("The server does not answer: not asked again.");
      return add(args, ctx);
    });
  }),
  ofSpec("TW-TIMEOUT-004", "a timeout of an hour", () => ({ timeoutMs: 3_600_000 })),
];
