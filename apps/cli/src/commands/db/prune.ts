import { Interrupt, rejectOnInterrupt, type CliIo } from "../../process/cli-io.ts";
import { exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { formatJson } from "../../render/json.ts";
import { showSteps } from "../../render/progress.ts";
import { formatCount, safeValue } from "../../render/text.ts";
import type { StoreOptions } from "../../sources/find-store.ts";
import { findDatabase } from "./place.ts";
import { useDatabase } from "./use-database.ts";

/** Rows of one table that a statement removes: other processes wait for it for a moment only. */
const batchRows = 1_000;

/** `toolweave db prune`: removes all expired rows, a batch after the other. */
export async function pruneDatabase(
  options: StoreOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const store = await findDatabase(
    options,
    io,
    output,
    "expired rows are removed when others are added",
  );
  const steps = showSteps(io);
  let removed = 0;
  let batches = 0;
  try {
    await useDatabase(store, async ({ inspect, prune }) => {
      // A command that removes rows creates no tables.
      const { tablesVersion } = await rejectOnInterrupt(inspect(), io.signal);
      if (tablesVersion === 0) return;
      for (;;) {
        const count = await prune(batchRows);
        if (count === 0) break;
        removed += count;
        batches += 1;
        steps.update(`Removing expired rows: ${removed.toLocaleString("en")} …`);
        // Between two batches: what is removed is counted.
        if (io.signal.aborted) throw new Interrupt();
      }
    });
  } finally {
    steps.end();
    if (io.signal.aborted && removed > 0) {
      output.printMessage(`toolweave: ${formatCount(removed, "expired row")} removed so far.`);
    }
  }
  const database = store.location;
  if (options.json === true) {
    await output.write(formatJson({ database, removed, batches }, output));
  } else {
    const rows = `${removed.toLocaleString("en")} expired ${removed === 1 ? "row" : "rows"}`;
    await output.write(`Removed ${rows} from ${safeValue(database)}.\n`);
  }
  return exitCode.completed;
}
