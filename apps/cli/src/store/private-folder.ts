import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** Makes the folder of `path`, and those above it, for this user alone. One that exists stays as it is. */
export function makePrivateFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) {
    missing.push(folder);
    if (folder === dirname(folder)) break;
  }
  // One by one: Node's `recursive` never comes to an end where nothing can be made, as under /proc.
  for (const folder of missing.toReversed()) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
