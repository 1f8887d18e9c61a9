import { rejectOnInterrupt, type CliIo } from "../../process/cli-io.ts";
import { exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { formatJson } from "../../render/json.ts";
import { showProgress } from "../../render/progress.ts";
import { safeValue } from "../../render/text.ts";
import { databaseSchema, readDatabaseVersion } from "./inspect-database.ts";
import { findDatabase, type DbOptions } from "./place.ts";

/** `toolweave db migrate`: creates or updates the tables. */
export async function migrateDatabase(
  options: DbOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const store = await findDatabase(options, io, output);
  const done = showProgress(io, `Updating the tables of ${safeValue(store.location)} …`);
  const migrate = async (): Promise<{ readonly from: number; readonly to: number }> => {
    const from = await readDatabaseVersion(store);
    await (await store.open()).migrate();
    return { from, to: await readDatabaseVersion(store) };
  };
  try {
    const { from, to } = await rejectOnInterrupt(migrate(), io.signal).finally(done);
    const database = store.location;
    if (options.json === true) {
      const result = { database, schema: databaseSchema, from, to };
      await output.write(formatJson(result, output));
    } else {
      const before = from === 0 ? "there were none" : `version ${from}`;
      const change = from === to ? "They were up to date." : `Before: ${before}.`;
      await output.write(`The tables of ${safeValue(database)} are of version ${to}. ${change}\n`);
    }
    return exitCode.completed;
  } finally {
    await store.close();
  }
}
