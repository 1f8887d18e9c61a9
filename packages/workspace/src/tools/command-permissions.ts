import type { PermissionRequest } from "@toolweave/core";
import type { ScriptAnalysis } from "../policy/analysis.ts";
import { resolvePath, scriptPermissions } from "../policy/script-permissions.ts";
import { pathPermissions, withPath, type Workspace } from "./workspace.ts";

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
    ...specialFiles(workspace, analysis, folder),
  ];
}

/**
 * Permissions for files of the workspace for which its rules ask, such as secrets.
 *
 * @throws ToolError `permission_denied` for a file that its rules deny.
 */
function specialFiles(
  workspace: Workspace,
  analysis: ScriptAnalysis,
  folder: string,
): readonly PermissionRequest[] {
  const found = new Map<string, PermissionRequest>();
  for (const use of analysis.commands.flatMap(({ paths }) => paths)) {
    const path = resolvePath(use, folder);
    if (path === undefined || !workspace.jail.contains(path)) continue;
    for (const permission of pathPermissions(workspace, path, use.access)) {
      const { kind, target } = permission;
      if (kind.startsWith("custom.")) found.set(`${kind} ${target}`, permission);
    }
  }
  return [...found.values()];
}
