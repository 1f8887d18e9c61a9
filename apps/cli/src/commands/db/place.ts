import type { SharedStore } from "@toolweave/config";
import type { CliIo } from "../../process/cli-io.ts";
import { UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { findStore, type StoreOptions } from "../../sources/find-store.ts";

/**
 * The database of a command that is for nothing else.
 *
 * @param reason why a file does not need the command: the end of a sentence.
 * @throws UsageError, UntrustedConfig
 */
export async function findDatabase(
  options: StoreOptions,
  io: CliIo,
  output: Output,
  reason: string,
): Promise<SharedStore> {
  const place = await findStore(options, io, output);
  if (place.kind === "database") return place.store;
  throw new UsageError(
    `The store is the file ${place.path}, which needs no such command: ${reason}. Name a database with --store 'postgres://USER:\${DB_PASSWORD}@HOST/DATABASE', or with "store" in a toolweave.json.`,
  );
}
