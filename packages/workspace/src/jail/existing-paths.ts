import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import picomatch from "picomatch";
import type { WorkspaceRoot } from "./path-rules.ts";

/** Folders that are searched for files of these names, below a root. */
const maxFolders = 500;
const maxDepth = 3;

/**
 * The paths below the roots that globs name, as far as they exist: of a folder that matches, the folder alone. The search
 * has three levels and 500 folders at most, and leaves out `node_modules` and links.
 */
export function existingPaths(
  roots: readonly WorkspaceRoot[],
  globs: readonly string[],
): readonly string[] {
  if (globs.length === 0) return [];
  const matches = picomatch(
    globs.map((glob) => `**/${glob.replace(/^\.?\//, "").replace(/\/(?:\*\*)?$/, "")}`),
    { dot: true, nocase: true },
  );
  const found: string[] = [];
  let folders = 0;
  const search = (root: string, below: string, depth: number): void => {
    folders += 1;
    if (folders > maxFolders || depth > maxDepth) return;
    for (const name of list(join(root, below))) {
      const path = below === "" ? name : `${below}/${name}`;
      const full = join(root, path);
      if (isLink(full)) continue;
      if (matches(path)) found.push(full);
      else if (name !== "node_modules" && isFolder(full)) search(root, path, depth + 1);
    }
  };
  for (const { path } of roots) search(path, "", 0);
  return found;
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
