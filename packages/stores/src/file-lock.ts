import { randomUUID } from "node:crypto";
import { open, rename, rm, stat, utimes } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { unavailable } from "./store-error.ts";

/** The age from which on a lock counts as left behind, in milliseconds. Its holder renews it three times as often. */
const maxAgeMs = 10_000;
/** The maximum wait for another process, in milliseconds. */
const maxWaitMs = 60_000;
const maxPauseMs = 50;

/**
 * Does `work` while this process has the lock file, in a folder of this user. The lock of a process that has ended is
 * taken over after 10 seconds. Two processes that take it over at the very same moment may both have it.
 *
 * @throws ToolError `store_unavailable` when another process keeps the lock for a minute; the system's errors.
 */
export async function withFileLock(path: string, work: () => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + maxWaitMs;
  while (!(await takeLock(path))) {
    if (performance.now() >= giveUpAt) {
      throw unavailable(path, "is locked by another process: end what holds it, then call again");
    }
    await delay(maxPauseMs * (0.5 + Math.random() / 2));
  }
  const renewal = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, maxAgeMs / 3);
  renewal.unref();
  try {
    await work();
  } finally {
    clearInterval(renewal);
    await rm(path, { force: true }).catch(() => {});
  }
}

async function takeLock(path: string): Promise<boolean> {
  try {
    await (await open(path, "wx", 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && found.mtimeMs < Date.now() - maxAgeMs) {
    // Renamed, so that one process removes it.
    const removed = `${path}.${randomUUID()}.unfinished`;
    await rename(path, removed).catch(() => {});
    await rm(removed, { force: true });
  }
  return false;
}
