// A typical configuration of a host: the setup behind "toolweave, typical setup". Extend it here.
import type { PolicyDefinition, ToolRegistry, ToolRun } from "@toolweave/core";

/** One line for the report. */
export const typicalSetupText =
  "a policy of five rules over the preset supervised, a beforeCall and an afterCall hook, one event listener, limits for the run and per tool, a timeout of 30 s";

/**
 * Typical rules of hosts: by name, by hint, one for a permission, none for callers. The measured
 * tools match one by its name; they propose no permission, so the last one is not evaluated.
 */
export const typicalPolicy: PolicyDefinition = {
  preset: "supervised",
  rules: [
    { id: "sums", effect: "allow", tools: "add_*" },
    { id: "reads", effect: "allow", annotations: { readOnlyHint: true, destructiveHint: false } },
    { id: "admin", effect: "deny", tools: ["admin_*", "*_all"] },
    { id: "files", effect: "ask", tools: "files_*", annotations: { destructiveHint: true } },
    { id: "plain-http", effect: "deny", permissions: { kind: "network", target: "http://*" } },
  ],
};

/** A run under the typical setup, and the check that all of it was active. */
export async function typicalSetup(registry: ToolRegistry): Promise<{
  readonly run: ToolRun;
  readonly verify: (calls: number) => void;
}> {
  const { ToolExecutor } = await import("@toolweave/core");
  const seen = { before: 0, after: 0, requested: 0, authorized: 0, started: 0, completed: 0 };
  const executor = new ToolExecutor({
    registry,
    policy: typicalPolicy,
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
  let rule: string | undefined;
  executor.on((event) => {
    const { type } = event;
    if (type === "tool.requested") seen.requested += 1;
    else if (type === "tool.authorized") {
      seen.authorized += 1;
      rule = event.rule;
    } else if (type === "tool.started") seen.started += 1;
    else if (type === "tool.completed") seen.completed += 1;
  });
  const run = executor.startRun({ limits: { calls: 1e9, callsPerTool: 1e9 } });
  return {
    run,
    verify: (calls) => {
      if (rule !== "policy sums") throw new Error(`the policy decided by ${rule}`);
      // The one refused call of the check is requested and no more.
      seen.requested -= 1;
      for (const [what, times] of Object.entries(seen)) {
        if (times !== calls) throw new Error(`${what}: ${times} times in ${calls} calls`);
      }
    },
  };
}
