import { readdirSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { UsageError } from "../../process/exit-code.ts";
import { safeLine } from "../../render/text.ts";

/** A file of a command line. */
interface FoundFile {
  /** Absolute. */
  readonly path: string;
  /** Relative to the current folder. */
  readonly file: string;
}

const skippedFolders: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/**
 * The named files, and those of named folders with one of the extensions, in order of path. Folders are searched with
 * everything below them, except `node_modules` and `.git`; links to folders are not followed.
 *
 * @throws UsageError for a path that does not exist.
 */
export function findFiles(
  paths: readonly string[],
  extensions: readonly string[],
): readonly FoundFile[] {
  const found = new Set<string>();
  for (const path of paths) {
    const stat = statSync(resolve(path), { throwIfNoEntry: false });
    if (stat === undefined) throw new UsageError(`There is no file or folder ${safeLine(path)}.`);
    if (stat.isDirectory()) collect(resolve(path), extensions, found);
    else found.add(resolve(path));
  }
  return [...found]
    .sort()
    .map((path) => ({ path, file: relative(process.cwd(), path).split(sep).join("/") }));
}

function collect(folder: string, extensions: readonly string[], found: Set<string>): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skippedFolders.has(entry.name)) collect(path, extensions, found);
    } else if (extensions.some((extension) => entry.name.endsWith(extension))) found.add(path);
  }
}
