import type { Credential, CredentialKey, CredentialStore } from "@toolweave/core/stores";
import { credentialsPath } from "./store-path.ts";

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
