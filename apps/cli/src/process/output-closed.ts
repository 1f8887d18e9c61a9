import type { Writable } from "node:stream";

/** Milliseconds between two checks. */
const pollIntervalMs = 2_000;

/**
 * Resolves when the output has no reader any more, until `signal` fires. Without writes there is no notification of that:
 * a write of nothing does, where the output is a socket, as most hosts give it to the processes that they start. A pipe
 * of a shell reports it with the next message.
 */
export function waitForOutputClose(output: Writable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const finish = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const poll = (): void => {
      output.write("", (error) => {
        if (error !== null && error !== undefined) finish();
        else if (!signal.aborted) timer = setTimeout(poll, pollIntervalMs).unref();
      });
    };
    output.once("close", finish);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    poll();
  });
}
