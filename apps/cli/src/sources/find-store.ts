import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ToolError } from "@toolweave/core";
import { configFile } from "../input/tool-options.ts";
import type { CliIo } from "../process/cli-io.ts";
import { FileError } from "../process/exit-code.ts";
import type { Output } from "../process/output.ts";
import type { CommandStore } from "../store/command-store.ts";
import { withStore } from "../store/open-store.ts";
import { resolveStorePlace, toStorePlace, type StorePlace } from "../store/store-place.ts";
import { assertTrusted, describeConfigFile, resolveConfigPath } from "./config-trust.ts";

/** The options of the commands that are about a store. */
export interface StoreOptions {
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
  options: StoreOptions,
  io: CliIo,
  output: Output,
): Promise<StorePlace> {
  const configured = options.store === undefined ? await findConfigured(options, io) : undefined;
  const place = await resolveStorePlace(options.store, configured, io.env);
  if (place.kind === "database") output.addSecrets(...place.store.secrets);
  return place;
}

/**
 * Opens the store that a command is about, and closes it when `work` has ended.
 *
 * @throws UsageError, UntrustedConfig
 */
export async function withFoundStore<T>(
  options: StoreOptions,
  io: CliIo,
  output: Output,
  work: (store: CommandStore) => Promise<T>,
): Promise<T> {
  return withStore(undefined, await findStore(options, io, output), io.env, work);
}

async function findConfigured(options: StoreOptions, io: CliIo): Promise<StorePlace | undefined> {
  const isFound = options.config === undefined;
  const path = resolve(options.config ?? configFile);
  if (isFound) {
    if (!existsSync(path)) return undefined;
    const description = await describeConfigFile(resolveConfigPath(path));
    if (!description.parts.some(({ kind }) => kind === "store")) return undefined;
    // The URL may have values of the environment in it: an unknown file would choose who receives them.
    await assertTrusted(description, options, io);
  }
  const { readStore } = await import("@toolweave/config");
  try {
    const store = await readStore(path, { env: io.env });
    return store === undefined ? undefined : toStorePlace(store);
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    throw new FileError(error.message, { cause: error });
  }
}
