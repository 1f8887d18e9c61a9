import { onTestFinished } from "vitest";
import { sqliteStore, type SqliteStore, type SqliteStoreOptions } from "../../src/index.ts";

/** A store that is closed when the test ends. */
export function openStore(options: string | SqliteStoreOptions): SqliteStore {
  const store = sqliteStore(options);
  onTestFinished(() => store.close());
  return store;
}
