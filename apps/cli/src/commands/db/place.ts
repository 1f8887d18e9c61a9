import type { SharedStore } from "@toolweave/config";
import { ToolError } from "@toolweave/core";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { configFile } from "../../input/tool-options.ts";
import type { CliIo } from "../../process/cli-io.ts";
import { UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { assertTrusted } from "../../sources/config-trust.ts";
import { resolveStorePlace, toStorePlace, type StorePlace } from "../../store/store-place.ts";

/** The options of the commands for a database. */
export interface DbOptions {
  readonly config?: string;
  readonly store?: string;
  readonly json?: boolean;
}

/**
 * Resolves the store that a command is about: `--store`, else the one of the configuration, else the default. No source
 * of the configuration is loaded.
 *
 * @throws UsageError, UntrustedConfig
 */
export async function findStore(
  options: DbOptions,
  io: CliIo,
  output: Output,
): Promise<StorePlace> {
  const configured = options.store === undefined ? await configuredPlace(options, io) : undefined;
  const place = await resolveStorePlace(options.store, configured, io.env);
  if (place.kind === "database") output.addSecrets(...place.store.secrets);
  return place;
}

async function configuredPlace(options: DbOptions, io: CliIo): Promise<StorePlace | undefined> {
  const isFound = options.config === undefined;
  const path = resolve(options.config ?? configFile);
  if (isFound && !existsSync(path)) return undefined;
  // The URL may have values of the environment in it: an unknown file would choose who receives them.
  if (isFound) await assertTrusted(path, options, io);
  const { readStore } = await import("@toolweave/config");
  try {
    const store = await readStore(path, { env: io.env });
    return store === undefined ? undefined : toStorePlace(store);
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

/**
 * The database of a command that is for nothing else.
 *
 * @param reason why a file does not need the command: the end of a sentence.
 * @throws UsageError, UntrustedConfig
 */
export async function findDatabase(
  options: DbOptions,
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
