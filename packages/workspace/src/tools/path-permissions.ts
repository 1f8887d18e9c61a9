import { displayProse, ToolError, type PermissionRequest } from "@toolweave/core";
import type { PathUse } from "../jail/path-info.ts";
import {
  accessKind,
  protectedReason,
  reasonsToAsk,
  toTarget,
  type RuledPath,
} from "../jail/permitted-paths.ts";
import { displayPath, withPath, type Workspace } from "./workspace.ts";

/** Maximum number of permissions of one call, as the executor has it. */
export const maxPermissions = 1_000;

/** Maximum number of characters of a target, as the executor has it: a person reads all of them. */
export const maxTarget = 100_000;

/** The permissions that an access to a path needs. */
export function pathPermissions(
  workspace: Workspace,
  path: string,
  use: PathUse,
): readonly PermissionRequest[] {
  const info = withPath(path, () => workspace.jail.locate(path, use));
  return [
    {
      kind: accessKind(use),
      target: toTarget(info),
      summary: toSummary(info, use),
      details: { place: "inside" },
    },
    ...specialPermissions(workspace, path, info, use),
  ];
}

/**
 * The permissions for which the rules of the workspace ask beside `fs.read` and `fs.write`.
 *
 * @param path as the caller has named it.
 * @throws ToolError `permission_denied` for a protected file that is never written.
 */
export function specialPermissions(
  { protectedWrites }: Workspace,
  path: string,
  info: RuledPath,
  use: PathUse,
): readonly PermissionRequest[] {
  return reasonsToAsk(info, use).map((reason) => {
    if (reason === protectedReason && protectedWrites === "deny") throw protectedError(path);
    return {
      kind: reason.kind,
      target: toTarget(info),
      summary: `${toSummary(info, use)}, ${reason.text}`,
    };
  });
}

function protectedError(path: string): ToolError {
  return new ToolError(
    "permission_denied",
    `"${path.slice(0, 300)}" is protected, since other programs run or obey what it contains. Ask the user to change it.`,
  );
}

const maxSummary = 200;

function toSummary(info: RuledPath, use: PathUse): string {
  return displayProse(`${toVerb(use)} ${displayPath(info)}`, maxSummary);
}

/** The same whatever the file is, and whether it exists: an approval holds for the same permission again. */
function toVerb(use: PathUse): string {
  return use === "write" ? "Write" : use === "remove" ? "Remove" : "Read";
}
