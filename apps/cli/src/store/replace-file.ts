import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";

/**
 * Writes a file in one step: a reader finds the old content or the new one, and a failure leaves the old one. A link in
 * its place is replaced, not followed.
 *
 * @param mode of the file, whatever the umask is.
 */
export function replaceFile(path: string, content: string, mode: number): void {
  // An unguessable name, made by this process alone: no other file or link can be there.
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    const file = openSync(draft, "wx", mode);
    try {
      writeFileSync(file, content);
      fchmodSync(file, mode);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
