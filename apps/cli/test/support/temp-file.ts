import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@toolweave/test-support/temp-folder";

export { tempFolder } from "@toolweave/test-support/temp-folder";

/** A file that exists until the test ends. */
export function tempFile(name: string, content: string): string {
  const path = join(tempFolder(), name);
  writeFileSync(path, content);
  return path;
}

/** A path for a store that does not exist yet. */
export function tempStore(): string {
  return join(tempFolder(), "state", "approvals.sqlite");
}
