import { Interrupt, rejectOnInterrupt, type CliIo } from "../../process/cli-io.ts";
import { exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { formatJson } from "../../render/json.ts";
import { showSteps } from "../../render/progress.ts";
import { formatCount, safeValue } from "../../render/text.ts";
import { readDatabaseVersion } from "./inspect-database.ts";
import { findDatabase, type DbOptions } from "./place.ts";

/** Rows of one table that a statement removes: other processes wait for it for a moment only. */
const batchRows = 1_000;

/** `toolweave db prune`: removes all expired rows, a batch after the other. */
export async function pruneDatabase(
  options: DbOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const store = await findDatabase(options, io, output);
  const steps = showSteps(io);
  let removed = 0;
  let batches = 0;
  try {
    // A command that removes rows creates no tables.
    if ((await rejectOnInterrupt(readDatabaseVersion(store), io.signal)) > 0) {
      const { prune } = await store.open();
      for (;;) {
        const count = await prune(batchRows);
        if (count === 0) break;
        removed += count;
        batches += 1;
        steps.update(`Removing expired rows: ${removed.toLocaleString("en")} …`);
        // Between two batches: what is removed is counted.
        if (io.signal.aborted) throw new Interrupt();
      }
    }
  } finally {
    steps.end();
    await store.close();
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
