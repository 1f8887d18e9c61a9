// What a host typically configures: the setup behind "toolweave, typical setup". Extend it here.
import type { ToolRegistry, ToolRun } from "@toolweave/core";

/** One line for the report. */
export const typicalSetupText =
  "supervised policy, a beforeCall and an afterCall hook, one event listener, limits for the run and per tool, a timeout of 30 s";

/** A run under the typical setup, and what proves that all of it was at work. */
export async function typicalSetup(registry: ToolRegistry): Promise<{
  readonly run: ToolRun;
  readonly verify: (calls: number) => void;
}> {
  const { ToolExecutor } = await import("@toolweave/core");
  const seen = { before: 0, after: 0, requested: 0, authorized: 0, started: 0, completed: 0 };
  const executor = new ToolExecutor({
    registry,
    policy: "supervised",
    hooks: [
      {
        beforeCall: () => {
          seen.before += 1;
        },
      },
      {
        afterCall: (_, { isError }) => {
          if (!isError) seen.after += 1;
        },
      },
    ],
    timeoutMs: 30_000,
  });
  executor.on(({ type }) => {
    if (type === "tool.requested") seen.requested += 1;
    else if (type === "tool.authorized") seen.authorized += 1;
    else if (type === "tool.started") seen.started += 1;
    else if (type === "tool.completed") seen.completed += 1;
  });
  const run = executor.startRun({ limits: { calls: 1e9, callsPerTool: 1e9 } });
  return {
    run,
    verify: (calls) => {
      // The one refused call of the check is requested and no more.
      seen.requested -= 1;
      for (const [what, times] of Object.entries(seen)) {
        if (times !== calls) throw new Error(`${what}: ${times} times in ${calls} calls`);
      }
    },
  };
}
