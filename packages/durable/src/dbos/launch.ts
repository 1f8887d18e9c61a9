import { setTimeout as delay } from "node:timers/promises";
import { DBOS } from "@dbos-inc/dbos-sdk";

const maxAttempts = 10;

/** Codes of PostgreSQL for statements that have met those of another process: deadlocks, and objects that exist already. */
const conflicts: ReadonlySet<unknown> = new Set([
  "23505",
  "40001",
  "40P01",
  "42P06",
  "42P07",
  "42710",
  // "tuple concurrently updated".
  "XX000",
]);

/**
 * Starts DBOS. If several processes start with an empty database, or with one of an older DBOS, each makes the tables,
 * without a lock (DBOS 5.3). Their statements then fail, and succeed once another process has made the tables.
 */
export async function launchDbos(): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await DBOS.launch();
    } catch (error) {
      if (attempt === maxAttempts || !isConflict(error)) throw error;
      await DBOS.shutdown();
      await delay(50 + Math.random() * 200 * attempt);
    }
  }
}

function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // DBOS has the error of the database in `error`, or in `cause`.
  const { code, error: inner } = error as { readonly code?: unknown; readonly error?: unknown };
  return conflicts.has(code) || isConflict(inner) || isConflict(error.cause);
}
