import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { orphanManifest, withSlowCall } from "./orphan.ts";
import { hanging, ofTool, ofTools, withInvoke, type Mutant } from "./mutant.ts";

/** Resolves when the signal fires. */
function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

export const cancellationMutants: readonly Mutant[] = [
  ofTools("TW-CANCEL-001", "a preflight that records that it was cancelled", (tools, world) =>
    tools.map((tool) =>
      tool.spec.name === "append_line"
        ? {
            spec: tool.spec,
            invoke: tool.invoke.bind(tool),
            preflight: (_, { signal }) => {
              const note = (): void => void world.lines.push("cancelled");
              if (signal.aborted) note();
              signal.addEventListener("abort", note, { once: true });
              return [];
            },
          }
        : tool,
    ),
  ),
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
              // Later than any timeout, however busy the machine is.
              setTimeout(resolve, 20_000, "done").unref();
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
  ofTools("TW-CANCEL-004", "a wait that is aborted, and work that is still done", (tools, world) =>
    withInvoke(tools, "log_slowly", async (_, { signal }) => {
      await fired(signal);
      world.lines.push("late");
      return "logged";
    }),
  ),
  ofTools("TW-CANCEL-004", "an effect that was sent before the cancellation", (tools, world) =>
    withInvoke(tools, "log_slowly", async (_, { signal }) => {
      await fired(signal);
      setImmediate(() => world.lines.push("late"));
      throw new Error("stopped");
    }),
  ),
  {
    rule: "TW-CANCEL-004",
    what: "a command whose child process continues",
    manifest: () => orphanManifest(),
  },
  {
    rule: "TW-CANCEL-004",
    what: "a sample whose effect does not happen in its time",
    manifest: () => withSlowCall({ effectMs: 1 }),
  },
  ofTools("TW-CANCEL-005", "a timer that is never cleared", (tools) =>
    withInvoke(tools, "wait", async (_, { signal }) => {
      setTimeout(() => {}, 20_000);
      await fired(signal);
      throw new Error("stopped");
    }),
  ),
  ofTools("TW-CANCEL-005", "a command that keeps running", (tools) =>
    withInvoke(tools, "wait", async (_, { signal }) => {
      spawn(process.execPath, ["-e", "setTimeout(() => {}, 10_000)"], { stdio: "ignore" });
      await fired(signal);
      throw new Error("stopped");
    }),
  ),
  ofTools("TW-CANCEL-006", "a lock that stays locked", (tools) => {
    let locked = false;
    return withInvoke(tools, "wait", async (args, ctx, wait) => {
      if (locked) throw new Error("Another call is under way.");
      locked = true;
      const answer = await wait(args, ctx);
      locked = false;
      return answer;
    });
  }),
  ofTools("TW-CANCEL-006", "a connection that is closed to stop a call", (tools) => {
    let open = true;
    const waiting = withInvoke(tools, "wait", async (args, ctx, wait) => {
      const close = (): void => {
        open = ctx.signal.reason?.code !== "cancelled";
      };
      ctx.signal.addEventListener("abort", close, { once: true });
      return wait(args, ctx);
    });
    return withInvoke(waiting, "add", (args, ctx, add) => {
      if (!open) throw new Error("The connection is closed.");
      return add(args, ctx);
    });
  }),
  ofTools("TW-CANCEL-007", "one stop signal for all calls", (tools) => {
    let stop = new AbortController();
    return withInvoke(tools, "wait", async (_, { signal }) => {
      if (stop.signal.aborted) stop = new AbortController();
      const shared = stop;
      signal.addEventListener("abort", () => shared.abort(), { once: true });
      if (signal.aborted) shared.abort();
      await delay(60_000, undefined, { signal: shared.signal, ref: false });
      return "done";
    });
  }),
];
