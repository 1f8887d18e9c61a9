import { join } from "node:path";
import type { CredentialStore, MemoryStore, ScheduleStore } from "@toolweave/core/stores";
import { fileCredentials } from "@toolweave/stores";
import type { StorePlace } from "./configured-store.ts";

/** The tokens in a store. It is opened with the first of them: reading a configuration leaves no folder behind. */
export function storedCredentials(place: StorePlace): CredentialStore {
  let opened: Promise<CredentialStore> | undefined;
  const open = (): Promise<CredentialStore> => (opened ??= openCredentials(place));
  return {
    get: async (key) => (await open()).get(key),
    set: async (key, credential) => (await open()).set(key, credential),
    delete: async (key) => (await open()).delete(key),
    exclusive: async (key, work) => {
      const credentials = await open();
      await (credentials.exclusive?.(key, work) ?? work());
    },
  };
}

async function openCredentials(place: StorePlace): Promise<CredentialStore> {
  if (typeof place === "string") return fileCredentials(join(place, "credentials"));
  return (await place.open()).credentials;
}

/** The data of built-in tools. */
export interface BuiltinStores {
  readonly memory: MemoryStore;
  readonly schedules: ScheduleStore;
  /** Closes a file. A database is closed by the configuration. */
  close(): void;
}

/** Opens the memory and the schedules of a store. */
export async function openBuiltinStores(place: StorePlace): Promise<BuiltinStores> {
  if (typeof place === "string") {
    const { sqliteStore } = await import("@toolweave/stores");
    return sqliteStore(join(place, "builtin.sqlite"));
  }
  const { memory, schedules } = await place.open();
  return { memory, schedules, close: () => {} };
}
