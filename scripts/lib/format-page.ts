import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getBinFolder, runCommand } from "./run-command.ts";

/** Formats a page that is written by a script as the format step requires it. */
export async function formatPage(root: string, page: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-page-"));
  try {
    const path = join(folder, "page.md");
    writeFileSync(path, page);
    const formatted = await runCommand("oxfmt", ["--config", join(root, ".oxfmtrc.json"), path], {
      cwd: folder,
      binFolder: getBinFolder(root),
    });
    if (formatted.code !== 0) throw new Error(formatted.output);
    return readFileSync(path, "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
