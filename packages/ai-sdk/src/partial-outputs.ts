import type { CallOptions, ToolOutcome } from "@toolweave/core";
import { hostOutput, outputOf } from "./tool-output.ts";

type OnUpdate = NonNullable<CallOptions["onUpdate"]>;

/**
 * A call as a stream for the SDK: its partial outputs, each in place of the one before, and at last its result. The
 * tool waits until an output is read, and the call continues when the stream is no longer read.
 *
 * @throws ToolError when the result is an error.
 */
export async function* partialOutputs(
  execute: (onUpdate: OnUpdate) => Promise<ToolOutcome>,
): AsyncGenerator<unknown, void, undefined> {
  const waiting: { readonly output: unknown; readonly taken: () => void }[] = [];
  let isOver = false;
  let wake = (): void => {};
  const outcome = execute((output) => {
    if (isOver) return;
    return new Promise<void>((taken) => {
      waiting.push({ output: hostOutput(output), taken });
      wake();
    });
  });
  const end = (): void => {
    isOver = true;
    wake();
  };
  outcome.then(end, end);
  try {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) {
        yield next.output;
        next.taken();
      } else if (isOver) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    yield outputOf(await outcome);
  } finally {
    isOver = true;
    for (const { taken } of waiting) taken();
  }
}
