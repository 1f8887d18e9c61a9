import type { Execution } from "./execution.ts";
import { messageOf } from "./failure-of.ts";
import { inTime } from "./in-time.ts";

/** No longer than this is an outcome held back by the store that has to note it. */
const longestNoteMs = 5000;

/**
 * Marks a resumed call as ended, also one that was cancelled. A store that fails, or takes its time,
 * takes nothing from what came of the call.
 */
export async function finish(execution: Execution): Promise<void> {
  await inTime(execution.engine.clock, longestNoteMs, note(execution)).catch(() => {});
}

async function note(execution: Execution): Promise<void> {
  const { engine, resumption } = execution;
  try {
    await engine.pendingCalls.finish(resumption?.interruption.id ?? "");
  } catch (error) {
    engine.events.emitCall(execution, {
      type: "store.failed",
      store: "pendingCalls",
      message: messageOf(error),
    });
  }
}
