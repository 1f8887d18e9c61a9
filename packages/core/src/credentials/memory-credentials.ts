import type { Credential, CredentialKey, CredentialStore } from "./credential-store.ts";

/** Credentials in memory, which end with the process. */
export function memoryCredentials(): CredentialStore {
  const kept = new Map<string, Credential>();
  const nameOf = ({ source, scheme, caller }: CredentialKey): string =>
    JSON.stringify([source, scheme, caller ?? null]);
  return {
    get: (key) => kept.get(nameOf(key)),
    set: (key, credential) => void kept.set(nameOf(key), credential),
    delete: (key) => void kept.delete(nameOf(key)),
  };
}
