import { UsageError } from "../../process/exit-code.ts";
import { safeLine } from "../../render/text.ts";

/** The meaning of the system's codes for a file that cannot be written, and the remedy. */
const remedies: Readonly<Record<string, string>> = {
  EACCES: "you may not write there: change its permissions, or name another file",
  EISDIR: "it is a folder: name a file in it",
  ENOENT: "its folder does not exist: create it first",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is not a folder",
  EPERM: "you may not write there: change its permissions, or name another file",
  EROFS: "the file system is read-only: name a file elsewhere",
};

/** The error of a file that cannot be written: one line with the path, the reason and the remedy. */
export function writeError(path: string, cause: unknown): UsageError {
  const { code = "unknown reason" } = cause as NodeJS.ErrnoException;
  const remedy = remedies[code];
  const advice = remedy === undefined ? "" : `; ${remedy}`;
  return new UsageError(`${safeLine(path)} cannot be written (${code})${advice}.`, { cause });
}

/**
 * Replaces a file in one step.
 *
 * @param mode of the file. Default: that of the file so far; 0644 for a new one.
 * @throws UsageError when it cannot be written.
 */
export async function writeTextFile(path: string, text: string, mode?: number): Promise<void> {
  const { replaceFile } = await import("@toolweave/config");
  try {
    await replaceFile(path, text, mode);
  } catch (error) {
    throw writeError(path, error);
  }
}
