import type { Execution } from "../call/call-state.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { Hook } from "../call/hook.ts";

/**
 * What the `pending` answer of the host's or a tool's code settles with; when that takes longer than
 * `ms`, what `late` says, or a `timeout`. 0: no limit.
 */
export function within<T>(
  execution: Execution,
  ms: number,
  pending: PromiseLike<T>,
  late?: () => ToolError,
): Promise<T> {
  if (!(ms > 0)) return Promise.resolve(pending);
  return new Promise<T>((resolve, reject) => {
    execution.waitFor(ms, () =>
      reject(
        late?.() ?? new ToolError("timeout", `The host's code did not answer within ${ms} ms.`),
      ),
    );
    pending.then(resolve, reject);
  });
}

/** How long one answer of a hook is waited for. */
export function timeoutOf({ engine }: Execution, { timeoutMs }: Hook): number {
  return timeoutMs ?? engine.hookTimeoutMs;
}
