import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A temporary folder of the test, by its real path, removed when it ends. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolweave-workspace-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
