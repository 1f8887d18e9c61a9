import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { displayLine, displayProse, ToolError, type PermissionRequest } from "@toolweave/core";
import { findSpecialPaths, type FoundPaths } from "../jail/existing-paths.ts";
import type { PathClass } from "../jail/path-rules.ts";
import { pathBelow } from "../jail/walk.ts";
import type { ScriptAnalysis } from "../policy/analysis.ts";
import { resolvePath, scriptPermissions } from "../policy/script-permissions.ts";
import type { PathUse } from "../policy/script.ts";
import { maxPermissions, maxTarget, pathPermissions } from "./path-permissions.ts";
import { withPath, type Workspace } from "./workspace.ts";

/** A script that is to be run, with its analysis. */
export interface AnalyzedScript {
  readonly script: string;
  readonly analysis: ScriptAnalysis;
  /** The folder, as the caller has named it. */
  readonly cwd: string;
}

/**
 * The permissions that a script needs in the sandbox of the workspace.
 *
 * @throws ToolError (by rejecting) for a folder that cannot be used, and for files that are never read or written.
 */
export async function commandPermissions(
  workspace: Workspace,
  { script, analysis, cwd }: AnalyzedScript,
): Promise<readonly PermissionRequest[]> {
  if (script.includes("\0") || /\p{Surrogate}/u.test(script)) {
    throw new ToolError(
      "invalid_arguments",
      "The script has a NUL or half of a character (a lone surrogate), which no program can be given.",
    );
  }
  const { realPath: folder } = withPath(cwd, () => workspace.jail.locate(cwd, "read"));
  const { level, isIsolated, hidesNetwork } = await workspace.sandbox();
  const isInside = (path: string): boolean => workspace.jail.contains(path);
  return checkDisplayed([
    ...scriptPermissions(script, analysis, {
      folder,
      isInside,
      sandbox: level,
      isIsolated,
      hidesNetwork,
    }),
    ...specialFiles(workspace, analysis, folder, isIsolated),
  ]);
}

/** Maximum number of characters of the details of a permission, as the executor has it. */
const maxDetails = 100_000;

/** @throws ToolError `invalid_arguments` for more, or longer, commands than a policy and a person are given. */
function checkDisplayed(permissions: readonly PermissionRequest[]): readonly PermissionRequest[] {
  const inFile = "Write the script to a file of the workspace and run that, or split it";
  if (permissions.length > maxPermissions) {
    throw new ToolError(
      "invalid_arguments",
      `The script has ${permissions.length} commands and files that need a permission, and may have ${maxPermissions}. ${inFile}.`,
    );
  }
  for (const { target, details } of permissions) {
    if (target.length <= maxTarget && JSON.stringify(details ?? null).length <= maxDetails)
      continue;
    throw new ToolError(
      "invalid_arguments",
      `The script, or one command of it, has more than ${maxTarget} characters as a person reads it before approving it (${target.length}). Pass long texts in files. ${inFile}.`,
    );
  }
  return permissions;
}

/**
 * Permissions for files of the workspace for which its rules ask, such as secrets: those that the script names, and those
 * below the folders that its programs enter.
 *
 * @throws ToolError `permission_denied` for a file that its rules deny.
 */
function specialFiles(
  workspace: Workspace,
  analysis: ScriptAnalysis,
  folder: string,
  isIsolated: boolean,
): readonly PermissionRequest[] {
  const { jail } = workspace;
  const found = new Map<string, PermissionRequest>();
  const add = (path: string, { access }: PathUse): void => {
    if (isBelowFile(path)) return;
    for (const permission of pathPermissions(workspace, path, access)) {
      const { kind, target } = permission;
      if (kind.startsWith("custom.")) found.set(`${kind} ${target}`, permission);
    }
  };
  for (const use of analysis.commands.flatMap(({ paths }) => paths)) {
    const path = resolvePath(use, folder);
    if (path === undefined || !jail.contains(path)) continue;
    if (use.isPossible !== true || /^\.|\//.test(use.path) || existsSync(path)) add(path, use);
    const special = findSpecialIn(workspace, path, use);
    if (!special.isComplete) found.set(`unexamined ${path}`, unexaminedFolder(path, use));
    for (const { path: inner, classes } of special.paths) {
      const isHidden = isIsolated && hiddenClasses.some((name) => classes.includes(name));
      if (!isHidden) add(inner, use);
    }
  }
  return [...found.values()];
}

/** The permission for a folder whose files with rules were not all found: one of them may be read or written. */
function unexaminedFolder(path: string, { access }: PathUse): PermissionRequest {
  const target = displayLine(path);
  const verb = access === "read" ? "Read" : "Write";
  return {
    kind: "custom.unexamined_folder",
    target,
    summary: displayProse(
      `${verb} ${target}, which has more than ${treeBounds.maxFolders} folders, or names that are not UTF-8: files for which the rules of the workspace ask were not all found`,
      maxSummary,
    ),
  };
}

/** Returns true for `b/a` if `b` is a file: `mv a b` may mean a folder `b`, and then nothing is there. */
function isBelowFile(path: string): boolean {
  try {
    return statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === false;
  } catch {
    // A folder further up is a file, or cannot be looked into, which the check of the path reports.
    return false;
  }
}

/** The classes of files that are empty in a sandbox that isolates. */
const hiddenClasses: readonly PathClass[] = ["denied", "secret"];

const maxSummary = 200;
const treeBounds = { maxFolders: 20_000, maxDepth: Infinity };

/** The files with rules of their own among those that a use of a path is of, beside that path itself. */
function findSpecialIn({ jail }: Workspace, path: string, { extent }: PathUse): FoundPaths {
  if (extent === undefined) return { paths: [], isComplete: true };
  const folder = extent === "names" ? dirname(path) : path;
  const bounds = extent === "names" ? { maxFolders: 1, maxDepth: 0 } : treeBounds;
  const isMeant = (one: string): boolean =>
    extent === "names"
      ? one.startsWith(path)
      : extent === "tree" || !hidden.test(one.slice(folder.length));
  let isComplete = true;
  const paths = jail.roots.flatMap(({ path: root }) => {
    const below = pathBelow(root, folder);
    if (below === undefined) return [];
    const special = findSpecialPaths(root, below, jail.matcher, bounds);
    // The names of one folder are all of them.
    isComplete &&= extent === "names" || special.isComplete;
    const all = special.paths.map((one) => ({ path: join(root, one.path), classes: one.classes }));
    return all.filter((one) => isMeant(one.path));
  });
  return { paths, isComplete };
}

const hidden = /\/\./;
