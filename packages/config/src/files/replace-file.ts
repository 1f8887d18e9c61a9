import { randomBytes } from "node:crypto";
import { lstat, open, rename, rm } from "node:fs/promises";

/**
 * Writes a file in one step: a reader finds the old content or the new one, and a failure leaves the old one. A link in
 * its place is replaced, not followed.
 *
 * @param mode of the file, whatever the umask is. Default: that of the file so far; 0644 for a new one.
 * @throws the system's error.
 */
export async function replaceFile(path: string, content: string, mode?: number): Promise<void> {
  const before = mode === undefined ? await lstat(path).catch(() => undefined) : undefined;
  // An unguessable name, made by this process alone: no other file or link can be there.
  const draft = `${path}.${randomBytes(8).toString("hex")}.unfinished`;
  const file = await open(draft, "wx", 0o600);
  try {
    try {
      await file.writeFile(content);
      await file.chmod(mode ?? (before?.isFile() === true ? before.mode & 0o777 : 0o644));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}
