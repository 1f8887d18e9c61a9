import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PermissionRequest } from "@toolweave/core";
import { findSpecialPaths, type SpecialPath } from "../jail/existing-paths.ts";
import type { PathClass } from "../jail/path-rules.ts";
import { pathBelow } from "../jail/walk.ts";
import type { ScriptAnalysis } from "../policy/analysis.ts";
import { resolvePath, scriptPermissions } from "../policy/script-permissions.ts";
import type { PathUse } from "../policy/script.ts";
import { pathPermissions } from "./path-permissions.ts";
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
  const { realPath: folder } = withPath(cwd, () => workspace.jail.locate(cwd, "read"));
  const { level, isIsolated, hidesNetwork } = await workspace.sandbox();
  const isInside = (path: string): boolean => workspace.jail.contains(path);
  return [
    ...scriptPermissions(script, analysis, {
      folder,
      isInside,
      sandbox: level,
      isIsolated,
      hidesNetwork,
    }),
    ...specialFiles(workspace, analysis, folder, isIsolated),
  ];
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
    if (use.isPossible !== true || existsSync(path)) add(path, use);
    for (const { path: inner, classes } of findSpecialIn(workspace, path, use)) {
      const isHidden = isIsolated && hiddenClasses.some((name) => classes.includes(name));
      if (!isHidden) add(inner, use);
    }
  }
  return [...found.values()];
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

const treeBounds = { maxFolders: 2_000, maxDepth: Infinity };

/** The files with rules of their own among those that a use of a path is of, beside that path itself. */
function findSpecialIn(
  { jail }: Workspace,
  path: string,
  { extent }: PathUse,
): readonly SpecialPath[] {
  if (extent === undefined) return [];
  const folder = extent === "names" ? dirname(path) : path;
  const bounds = extent === "names" ? { maxFolders: 1, maxDepth: 0 } : treeBounds;
  const isMeant = (one: string): boolean =>
    extent === "names"
      ? one.startsWith(path)
      : extent === "tree" || !hidden.test(one.slice(folder.length));
  return jail.roots.flatMap(({ path: root }) => {
    const below = pathBelow(root, folder);
    if (below === undefined) return [];
    const special = findSpecialPaths(root, below, jail.matcher, bounds);
    const all = special.map((one) => ({ path: join(root, one.path), classes: one.classes }));
    return all.filter((one) => isMeant(one.path));
  });
}

const hidden = /\/\./;
