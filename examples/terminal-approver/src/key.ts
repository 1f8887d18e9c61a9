import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** The secret in a file that only this user can read; created if it is missing. */
export function loadKey(path: string): Uint8Array {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Linked when it is complete: another process never reads a part of it.
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, randomBytes(32), { flag: "wx", mode: 0o600 });
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path);
}
