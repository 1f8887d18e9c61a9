import { spawn } from "node:child_process";
import { ofTools, withInvoke, type Mutant } from "./mutant.ts";

/** The listeners that a tool has added to `process`. */
const handlers: (() => void)[] = [];

/** Mutants whose calls change the process of their host. */
export const traceMutants: readonly Mutant[] = [
  ofTools("TW-CALL-018", "a second timer that is never cleared", (tools) =>
    withInvoke(tools, "add", async (args, ctx, add) =>
      Promise.race([
        add(args, ctx),
        new Promise<string>((resolve) => setTimeout(() => resolve("It took too long."), 2000)),
      ]),
    ),
  ),
  ofTools("TW-CALL-018", "a browser for each call", (tools) =>
    withInvoke(tools, "add", (args, ctx, add) => {
      spawn(process.execPath, ["--eval", "setTimeout(() => {}, 2000)"], {
        stdio: "ignore",
      }).unref();
      return add(args, ctx);
    }),
  ),
  ofTools("TW-CALL-018", "a handler of Ctrl-C for each call", (tools) =>
    withInvoke(tools, "add", (args, ctx, add) => {
      const listener = (): void => {};
      process.on("SIGUSR2", listener);
      handlers.push(listener);
      // Few enough for Node.js not to warn, in a process that has other tests to run.
      if (handlers.length > 8) process.off("SIGUSR2", handlers.shift() as () => void);
      return add(args, ctx);
    }),
  ),
  ofTools("TW-CALL-019", "a report that is sent without waiting and fails", (tools) =>
    withInvoke(tools, "add", (args, ctx, add) => {
      void Promise.reject(new Error("The report could not be sent."));
      return add(args, ctx);
    }),
  ),
  ofTools("TW-CALL-019", "cleanup after an error that is not awaited", (tools) =>
    withInvoke(tools, "open_door", (args, ctx, open) => {
      void Promise.resolve().then(() => {
        throw new Error("The door could not be closed.");
      });
      return open(args, ctx);
    }),
  ),
  ofTools("TW-CALL-020", "a line for debugging", (tools) =>
    withInvoke(tools, "add", (args, ctx, add) => {
      process.stdout.write("");
      return add(args, ctx);
    }),
  ),
  ofTools("TW-CALL-021", "a region that is set for the whole process", (tools) =>
    withInvoke(tools, "add", (args, ctx, add) => {
      process.env["CONFORMANCE_REGION"] = `eu-${String(args["a"])}-${performance.now()}`;
      return add(args, ctx);
    }),
  ),
  ofTools("TW-CANCEL-008", "a second promise of the same work", (tools) =>
    withInvoke(tools, "wait", (args, ctx, wait) => {
      const waiting = Promise.resolve(wait(args, ctx));
      void waiting.finally(() => {});
      return waiting;
    }),
  ),
];
