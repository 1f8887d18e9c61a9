import type { SharedStore } from "@toolweave/config";
import type { PostgresStore } from "@toolweave/postgres";
import { Interrupt, rejectOnInterrupt } from "../../process/cli-io.ts";

/**
 * Opens a database for the time of `work`. Nothing is connected before its first operation.
 *
 * @param signal ends it at once. Absent: `work` ends by itself, between two statements.
 * @throws Interrupt, and ToolError `store_unavailable` that names the place, and what to do.
 */
export async function useDatabase<T>(
  store: SharedStore,
  work: (opened: PostgresStore) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { postgresStore } = await import("@toolweave/postgres");
  // No task is awaited, so that nothing listens for notifications.
  const opened = postgresStore({
    connectionString: store.url,
    listen: false,
    // Most of what these commands do needs none.
    ...(store.keys.length === 0 ? {} : { key: store.keys }),
  });
  try {
    const result = work(opened);
    return await (signal === undefined ? result : rejectOnInterrupt(result, signal));
  } catch (error) {
    throw error instanceof Interrupt ? error : store.explain(error);
  } finally {
    opened.close();
  }
}
