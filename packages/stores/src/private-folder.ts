import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** Makes the folder of `path`, and those above it, for this user alone. One that exists stays as it is. */
export function makePrivateFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
}
