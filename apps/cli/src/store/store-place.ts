import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { SharedStore } from "@toolweave/config";
import { ToolError } from "@toolweave/core";
import type { Credential, CredentialKey, CredentialStore } from "@toolweave/core/stores";
import { UsageError } from "../process/exit-code.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Where a store is. */
export type StorePlace =
  | { readonly kind: "file"; readonly path: string }
  | {
      readonly kind: "database";
      readonly store: SharedStore;
      /** The words of a command line that lead to it; none: it is in `$TOOLWEAVE_STORE`. */
      readonly option: readonly string[];
    };

/** The URL of a database, or a reference to a variable that may have one. */
const databaseText = /^(?:postgres(?:ql)?:\/\/|\$\{)/i;

/**
 * Resolves the store of a command: `--store`, else the one of the configuration, else `$TOOLWEAVE_STORE`, else a file in
 * the user's state folder.
 *
 * @throws UsageError
 */
export async function resolveStorePlace(
  option: string | undefined,
  configured: StorePlace | undefined,
  env: Env,
): Promise<StorePlace> {
  if (option !== undefined && databaseText.test(option)) {
    const { parseStore } = await import("@toolweave/config");
    const store = asUsage(() => parseStore(option, env));
    return typeof store === "string"
      ? { kind: "file", path: storePath(store, env) }
      : { kind: "database", store, option: ["--store", option] };
  }
  if (option !== undefined) return { kind: "file", path: storePath(option, env) };
  return configured ?? (await defaultPlace(env));
}

/** The place of a configuration's `store`. */
export function toStorePlace(configured: string | SharedStore): StorePlace {
  return typeof configured === "string"
    ? { kind: "file", path: join(configured, "approvals.sqlite") }
    : { kind: "database", store: configured, option: ["--store", configured.written] };
}

/**
 * The store without any option: `$TOOLWEAVE_STORE`, else a file in the user's state folder.
 *
 * @throws UsageError
 */
export async function defaultPlace(env: Env): Promise<StorePlace> {
  const variable = env["TOOLWEAVE_STORE"] ?? "";
  if (!isDatabase(variable)) return { kind: "file", path: storePath(undefined, env) };
  const { sharedStore } = await import("@toolweave/config");
  return { kind: "database", store: asUsage(() => sharedStore(variable, { env })), option: [] };
}

/** Where a configuration without `store` has its tokens: see `LoadConfigOptions.store`. */
export function toDataPlace(place: StorePlace): string | SharedStore {
  return place.kind === "file" ? dirname(place.path) : place.store;
}

/** The file of what built-in tools store, beside that of a store. */
export function builtinFile(path: string): string {
  return join(dirname(path), "builtin.sqlite");
}

/** The file of the audit, beside that of a store. */
export function auditPath(path: string): string {
  return join(dirname(path), "audit.jsonl");
}

/** True if the environment names a database. */
export function isDefaultDatabase(env: Env): boolean {
  return isDatabase(env["TOOLWEAVE_STORE"] ?? "");
}

function isDatabase(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text);
}

/**
 * Resolves the file of pending calls and grants: `--store`, else `$TOOLWEAVE_STORE`, else one in
 * the user's state folder, under `$HOME` or the home folder that the system has for the user.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 * @throws UsageError
 */
export function storePath(option: string | undefined, env: Env): string {
  if (option === "") throw new UsageError("--store has no value.");
  const configured = option ?? env["TOOLWEAVE_STORE"] ?? "";
  if (configured !== "") return resolve(configured);
  const { XDG_STATE_HOME: stateHome = "" } = env;
  return isAbsolute(stateHome) ? storeFileIn(stateHome) : homeStore(env);
}

/** True for the default store, which a process finds without variables in its environment. */
export function isHomeStore(path: string, env: Env): boolean {
  return path === homeStore(env);
}

function homeStore({ HOME: home = "" }: Env): string {
  return storeFileIn(join(home === "" ? homedir() : home, ".local", "state"));
}

function storeFileIn(folder: string): string {
  return join(folder, "toolweave", "approvals.sqlite");
}

/** The tokens of servers that are in no configuration. The store is opened with the first of them. */
export function defaultCredentials(env: Env): CredentialStore {
  let opened: Promise<CredentialStore> | undefined;
  const open = (): Promise<CredentialStore> => (opened ??= openCredentials(env));
  return {
    get: async (key: CredentialKey) => (await open()).get(key),
    set: async (key: CredentialKey, credential: Credential) => (await open()).set(key, credential),
    delete: async (key: CredentialKey) => (await open()).delete(key),
    exclusive: async (key, work) => {
      const credentials = await open();
      await (credentials.exclusive?.(key, work) ?? work());
    },
  };
}

async function openCredentials(env: Env): Promise<CredentialStore> {
  const place = await defaultPlace(env);
  if (place.kind === "database") return (await place.store.open()).credentials;
  const { fileCredentials } = await import("@toolweave/stores");
  return fileCredentials(join(dirname(place.path), "credentials"));
}

/** A store that cannot be meant is a mistake of the command line, or of the environment. */
function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}
