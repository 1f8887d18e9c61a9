import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * A folder with files that exists until the test ends.
 *
 * @param parent default: the system's folder for such
 */
export function folderWith(
  files: Readonly<Record<string, string>>,
  parent: string = tmpdir(),
): string {
  const folder = mkdtempSync(join(parent, "toolweave-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** A `toolweave.json` that exists until the test ends. */
export function configFile(content: string | object, name = "toolweave.json"): string {
  const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
  return join(folderWith({ [name]: text }), name);
}
