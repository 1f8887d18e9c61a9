import type { CallState } from "../call/call-state.ts";

/** Before stage 5: of equal calls in a batch, only the first continues if the host sets `duplicates: "skip"`. */
export function skipDuplicates(execution: CallState): void {
  execution.batch?.note(execution);
}
