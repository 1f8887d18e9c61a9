import type { RequestOptions } from "../transport/messages/mcp-connection.ts";
import type { CallRequestOptions } from "./requester.ts";
import { withSignal } from "./with-signal.ts";

/** Milliseconds that a request goes on when nobody waits for it any more. */
const lingerMs = 5_000;

/**
 * Makes a request, and rejects as soon as nobody waits any more, like any other. One with `onLate` goes on for a while
 * then, without its progress, and what it is answered is told there.
 */
export async function detachOnAbort(
  options: CallRequestOptions,
  send: (options: RequestOptions) => Promise<unknown>,
): Promise<unknown> {
  const { onLate, signal } = options;
  if (onLate === undefined) return send(options);
  if (signal.aborted) throw signal.reason as Error;
  const linger = new AbortController();
  const answer = send({ ...options, signal: linger.signal });
  try {
    return await withSignal(answer, signal);
  } catch (error) {
    if (signal.aborted) {
      const timer = setTimeout(() => linger.abort(), lingerMs);
      timer.unref();
      // Nobody is there to hear of a failure.
      void answer
        .then(onLate)
        .catch(() => {})
        .finally(() => clearTimeout(timer));
    }
    throw error;
  }
}
