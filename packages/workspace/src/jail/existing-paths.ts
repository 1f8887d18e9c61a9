import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { PathClass, PathMatcher, WorkspaceRoot } from "./path-rules.ts";

/** The files and folders that have rules of their own. */
export interface ExistingPaths {
  /** Absolute paths of protected files and folders. */
  readonly protectedPaths: readonly string[];
  /** Absolute paths of files and folders that are denied, or that may contain credentials. */
  readonly hiddenPaths: readonly string[];
}

/** Special paths, as far as they were found. */
export interface FoundPaths {
  readonly paths: readonly SpecialPath[];
  /** False: there are more folders than were searched, or names that are not UTF-8. */
  readonly isComplete: boolean;
}

/** A file or folder with a rule of its own. */
interface SpecialPath {
  /** Relative to the root. */
  readonly path: string;
  readonly classes: readonly PathClass[];
}

/** The bounds of a search for such paths. */
export interface SearchBounds {
  readonly maxFolders: number;
  readonly maxDepth: number;
}

const sandboxBounds: SearchBounds = { maxFolders: 2_000, maxDepth: 3 };

/**
 * The protected and hidden paths below the roots, as far as they exist: of a folder that matches, the folder alone. The
 * search has three levels and 2,000 folders of each root at most, and leaves out `node_modules` and links.
 */
export function findExistingPaths(
  roots: readonly WorkspaceRoot[],
  matcher: PathMatcher,
): ExistingPaths & Pick<FoundPaths, "isComplete"> {
  let isComplete = true;
  const protectedPaths: string[] = [];
  const hiddenPaths: string[] = [];
  for (const { path: root } of roots) {
    const found = findSpecialPaths(root, "", matcher, sandboxBounds);
    isComplete &&= found.isComplete;
    for (const { path, classes } of found.paths) {
      const isHidden = classes.includes("denied") || classes.includes("secret");
      if (isHidden) hiddenPaths.push(join(root, path));
      else if (classes.includes("protected")) protectedPaths.push(join(root, path));
    }
  }
  return { protectedPaths, hiddenPaths, isComplete };
}

/**
 * The paths below a folder that have rules of their own, the upper ones first. A folder that is denied or secret is not
 * searched, and below one that has the same classes, only those with further ones are returned.
 *
 * @param below the folder, relative to the root; `""`: the root.
 */
export function findSpecialPaths(
  root: string,
  below: string,
  matcher: PathMatcher,
  { maxFolders, maxDepth }: SearchBounds,
): FoundPaths {
  const found: SpecialPath[] = [];
  let areAllNamed = true;
  const folders = [{ path: below, depth: 0, around: 0 }];
  for (let at = 0; at < folders.length && at < maxFolders; at++) {
    const folder = folders[at] as (typeof folders)[number];
    for (const { name, kind } of list(join(root, folder.path))) {
      // Node.js writes so the bytes of a name that are not UTF-8. No path leads there.
      if (name.includes("\ufffd")) areAllNamed = false;
      const path = folder.path === "" ? name : `${folder.path}/${name}`;
      const classes = matcher.findClasses(path);
      if (classes.length > folder.around) found.push({ path, classes });
      const isHidden = classes.includes("denied") || classes.includes("secret");
      if (kind !== "directory" || isHidden || name === "node_modules") continue;
      if (folder.depth < maxDepth) {
        folders.push({ path, depth: folder.depth + 1, around: classes.length });
      }
    }
  }
  return { paths: found, isComplete: areAllNamed && folders.length <= maxFolders };
}

/** The members of a folder but links. */
function list(folder: string): readonly { name: string; kind: "file" | "directory" }[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((member) => {
      if (member.isSymbolicLink()) return [];
      return [{ name: member.name, kind: member.isDirectory() ? "directory" : "file" }];
    });
  } catch {
    return [];
  }
}
