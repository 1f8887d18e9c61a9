import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { PathMatcher, WorkspaceRoot } from "./path-rules.ts";

/** Folders that are searched below the roots. */
const maxFolders = 500;
const maxDepth = 3;

/** The files and folders that have rules of their own. */
export interface ExistingPaths {
  /** Absolute paths of protected files and folders. */
  readonly protectedPaths: readonly string[];
  /** Absolute paths of files and folders that are denied, or that may contain credentials. */
  readonly hiddenPaths: readonly string[];
}

/**
 * The protected and hidden paths below the roots, as far as they exist: of a folder that matches, the folder alone. The
 * search has three levels and 500 folders at most, and leaves out `node_modules` and links.
 */
export function findExistingPaths(
  roots: readonly WorkspaceRoot[],
  matcher: PathMatcher,
): ExistingPaths {
  const protectedPaths: string[] = [];
  const hiddenPaths: string[] = [];
  let folders = 0;
  const search = (root: string, below: string, depth: number, isProtected: boolean): void => {
    folders += 1;
    if (folders > maxFolders || depth > maxDepth) return;
    for (const { name, kind } of list(join(root, below))) {
      const path = below === "" ? name : `${below}/${name}`;
      const classes = matcher.findClasses(path);
      if (classes.includes("denied") || classes.includes("secret")) {
        hiddenPaths.push(join(root, path));
        continue;
      }
      const isOwn = classes.includes("protected");
      if (isOwn && !isProtected) protectedPaths.push(join(root, path));
      if (kind === "directory" && name !== "node_modules")
        search(root, path, depth + 1, isProtected || isOwn);
    }
  };
  for (const { path } of roots) search(path, "", 0, false);
  return { protectedPaths, hiddenPaths };
}

/** The members of a folder but links. */
function list(folder: string): readonly { name: string; kind: "file" | "directory" }[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
      if (stat === undefined || stat.isSymbolicLink()) return [];
      return [{ name, kind: stat.isDirectory() ? "directory" : "file" }];
    });
  } catch {
    return [];
  }
}
