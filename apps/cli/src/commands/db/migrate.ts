import type { PostgresStore } from "@toolweave/postgres";
import type { CliIo } from "../../process/cli-io.ts";
import { exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { formatJson } from "../../render/json.ts";
import { showProgress } from "../../render/progress.ts";
import { safeValue } from "../../render/text.ts";
import type { StoreOptions } from "../../sources/find-store.ts";
import { findDatabase } from "./place.ts";
import { useDatabase } from "./use-database.ts";

/** `toolweave db migrate`: creates or updates the tables. */
export async function migrateDatabase(
  options: StoreOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const store = await findDatabase(options, io, output, "it is updated when it is opened");
  const done = showProgress(io, `Updating the tables of ${safeValue(store.location)} …`);
  const work = async ({ inspect, migrate }: PostgresStore) => {
    const { schema, tablesVersion: from } = await inspect();
    await migrate();
    return { schema, from, to: (await inspect()).tablesVersion };
  };
  const { schema, from, to } = await useDatabase(store, work, io.signal).finally(done);
  const database = store.location;
  if (options.json === true) {
    await output.write(formatJson({ database, schema, from, to }, output));
  } else {
    const before = from === 0 ? "there were none" : `version ${from}`;
    const change = from === to ? "They were up to date." : `Before: ${before}.`;
    await output.write(`The tables of ${safeValue(database)} are of version ${to}. ${change}\n`);
  }
  return exitCode.completed;
}
