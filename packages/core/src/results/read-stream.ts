import { isThenable, promised } from "../json/json.ts";
import type { StreamBuffer } from "./captured.ts";
import type { StreamSource } from "./stream-source.ts";

/** Milliseconds after which everything else has its turn: a source may always have the next piece ready. */
const turnMs = 10;

/** The exception of a stream that was interrupted. */
export interface StreamFailure {
  readonly thrown: unknown;
}

/** Until the end, or until there is no more room. Gives what went wrong. */
export async function readStream(
  source: StreamSource,
  captured: StreamBuffer,
  signal: AbortSignal,
): Promise<StreamFailure | undefined> {
  let turn = performance.now();
  try {
    for (;;) {
      const step = (await source.next()) as { done?: unknown; value?: unknown };
      if (signal.aborted || captured.isClosed || step.done) return undefined;
      const { value } = step;
      captured.add(isThenable(value) ? await promised(value) : value);
      if (captured.truncated) return undefined;
      if (performance.now() - turn < turnMs) continue;
      await new Promise((resolve) => setTimeout(resolve, 0));
      turn = performance.now();
    }
  } catch (thrown) {
    return { thrown };
  }
}
