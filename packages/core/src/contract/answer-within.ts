import type { WaitingCall } from "./call-info.ts";
import { ToolError } from "./tool-error.ts";

/**
 * Settles as `pending`, the answer of the host's or a tool's code, does.
 *
 * @param ms milliseconds that the answer may take; 0: no limit.
 * @param late makes the error when it takes longer. Default: `timeout`.
 */
export function answerWithin<T>(
  call: WaitingCall,
  ms: number,
  pending: PromiseLike<T>,
  late?: () => ToolError,
): Promise<T> {
  if (!(ms > 0)) return Promise.resolve(pending);
  return new Promise<T>((resolve, reject) => {
    call.waitFor(ms, () =>
      reject(
        late?.() ?? new ToolError("timeout", `The host's code did not answer within ${ms} ms.`),
      ),
    );
    pending.then(resolve, reject);
  });
}
