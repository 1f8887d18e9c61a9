import type { Execution } from "../execution.ts";
import { ToolError } from "../../tool-error.ts";
import type { Hook } from "./hook.ts";

/** What the host's `pending` answer settles with, or a `timeout` when that takes longer than `ms`. 0: no limit. */
export function within<T>(execution: Execution, ms: number, pending: PromiseLike<T>): Promise<T> {
  if (!(ms > 0)) return Promise.resolve(pending);
  return new Promise<T>((resolve, reject) => {
    execution.waitFor(ms, () =>
      reject(new ToolError("timeout", `The host's code did not answer within ${ms} ms.`)),
    );
    pending.then(resolve, reject);
  });
}

/** How long one answer of a hook is waited for. */
export function timeoutOf({ engine }: Execution, { timeoutMs }: Hook): number {
  return timeoutMs ?? engine.hookTimeoutMs;
}
