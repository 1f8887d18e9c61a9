import type { CallState } from "../call/call-state.ts";

/** Before stage 5: of equal calls made together, only the first goes on, when the host says so. */
export function skipDuplicates(execution: CallState): void {
  execution.batch?.note(execution);
}
