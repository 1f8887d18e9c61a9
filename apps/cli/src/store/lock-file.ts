import { dirname, join, resolve } from "node:path";
import type { Lock } from "@toolweave/config";
import { ToolError } from "@toolweave/core";
import type { ResolvedSources } from "../input/tool-options.ts";
import { UsageError } from "../process/exit-code.ts";

/** Resolves the path of the lock: the option's, else beside the configuration, else in this folder. */
export function resolveLockPath(option: string | undefined, { config }: ResolvedSources): string {
  if (option !== undefined) return resolve(option);
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
