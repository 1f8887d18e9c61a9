import { dirname, join, resolve } from "node:path";
import { ToolError } from "@toolweave/core";
import type { Lock } from "@toolweave/config";
import type { ResolvedSources } from "../input/tool-options.ts";
import { UsageError } from "../process/errors.ts";

/** Where the lock is: what is given, else beside the configuration, else in this folder. */
export function resolveLockPath(given: string | undefined, { config }: ResolvedSources): string {
  if (given !== undefined) return resolve(given);
  return join(config === undefined ? resolve() : dirname(config), "toolweave.lock.json");
}

/**
 * The lock in a file.
 *
 * @throws UsageError for a file that cannot be read or is no lock.
 */
export async function readLockFile(path: string): Promise<Lock> {
  const { readLock } = await import("@toolweave/config");
  try {
    return await readLock(path);
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}
