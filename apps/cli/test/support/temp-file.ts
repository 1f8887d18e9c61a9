import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that exists until the test ends. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-cli-"));
  // A process that a terminal has started can still write into it.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  return folder;
}

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
