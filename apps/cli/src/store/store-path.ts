import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { UsageError } from "../process/exit-code.ts";
import { existsSync, mkdirSync } from "node:fs";
import type { Credential, CredentialKey, CredentialStore } from "@toolweave/core/stores";

type Env = Readonly<Record<string, string | undefined>>;

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

/** The folder of tokens: beside the store of pending calls. */
function credentialsPath(env: Env): string {
  return join(dirname(storePath(undefined, env)), "credentials");
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

/** Makes the folder of `path`, and those above it, for this user alone. One that exists stays as it is. */
export function makePrivateFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) {
    missing.push(folder);
    if (folder === dirname(folder)) break;
  }
  // One by one: Node's `recursive` never comes to an end where nothing can be made, as under /proc.
  for (const folder of missing.toReversed()) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** The tokens of servers that are on no file's list. Folder and store are made when the first of them is asked for. */
export function storedCredentials(
  env: Readonly<Record<string, string | undefined>>,
): CredentialStore {
  let made: Promise<CredentialStore> | undefined;
  const openFiles = (): Promise<CredentialStore> =>
    (made ??= import("@toolweave/stores").then(({ fileCredentials }) =>
      fileCredentials(credentialsPath(env)),
    ));
  return {
    get: async (key: CredentialKey) => (await openFiles()).get(key),
    set: async (key: CredentialKey, credential: Credential) =>
      (await openFiles()).set(key, credential),
    delete: async (key: CredentialKey) => (await openFiles()).delete(key),
  };
}
