import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A temporary folder of the test, removed when it ends. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-stores-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
