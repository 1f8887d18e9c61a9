import type { Output } from "../process/output.ts";
import { describeError } from "../render/describe-error.ts";
import type { CommandStore } from "./command-store.ts";
import { DatabaseStore } from "./database-store.ts";
import { FileStore } from "./file-store.ts";
import { resolveStorePlace, type StorePlace } from "./store-place.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The store of a command. Files and connections are made when something has to be stored or read.
 *
 * @param option the value of `--store`.
 * @param configured the store of the configuration.
 * @throws UsageError
 */
export async function commandStore(
  option: string | undefined,
  configured: StorePlace | undefined,
  env: Env,
): Promise<CommandStore> {
  const place = await resolveStorePlace(option, configured, env);
  return place.kind === "file" ? new FileStore(place.path, env) : DatabaseStore.open(place);
}

/**
 * Opens a store for `work` and closes it when that has ended.
 *
 * @throws UsageError as `commandStore` does.
 */
export async function withStore<T>(
  option: string | undefined,
  configured: StorePlace | undefined,
  env: Env,
  work: (store: CommandStore) => Promise<T>,
): Promise<T> {
  const store = await commandStore(option, configured, env);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Prints what is wrong with the store of a command that serves others, each error once. */
export function printStoreErrors(store: CommandStore, output: Output): void {
  const printed = new Set<string>();
  store.onUnavailable?.((cause) => {
    if (printed.has(cause.message)) return;
    printed.add(cause.message);
    output.printMessage(describeError(cause, false));
  });
}

/**
 * Opens a store that can be used, with its key, so that calls which wait can be answered by other processes from the
 * beginning.
 *
 * @throws UsageError, ToolError as `commandStore` and `prepare` do.
 */
export async function openStore(
  option: string | undefined,
  configured: StorePlace | undefined,
  env: Env,
): Promise<CommandStore> {
  const store = await commandStore(option, configured, env);
  try {
    await store.prepare();
    return store;
  } catch (error) {
    await store.close();
    // Another process has just made it.
    if (store.key.wasTaken) return commandStore(option, configured, env);
    throw error;
  }
}
