import { readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { defineTool, type PermissionRequest, type Tool } from "@toolweave/core";
import { walkTree } from "../files/walk-tree.ts";
import { Entry } from "../jail/entry.ts";
import { JailError } from "../jail/jail-error.ts";
import type { PathInfo } from "../jail/path-info.ts";
import { checkMember } from "../jail/permitted-paths.ts";
import { changeFile, type PermittedCall } from "../tools/open-paths.ts";
import { pathPermissions, specialPermissions } from "../tools/path-permissions.ts";
import { withPath, type Workspace } from "../tools/workspace.ts";
import { count, failure, output, toPath, toPathIn } from "./effect-output.ts";

/** Members of a folder that is removed with all of them. */
const maxMembers = 10_000;
const maxDepth = 200;
/** Members for which the rules of the workspace ask: a person has to read them. */
const maxSpecial = 50;

/** The tool `fs_remove`: removes a file, a link or a folder. */
export function fsRemoveTool(workspace: Workspace): Tool {
  return defineTool({
    name: "fs_remove",
    description:
      "Remove a file, a link (not the file that it leads to) or an empty folder; with recursive, a folder with all that is in it: { path, removed }.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1 },
        recursive: { type: "boolean", description: "Default: false." },
      },
      required: ["path"],
      additionalProperties: false,
    },
    annotations: { destructiveHint: true, access: { filesystem: "write" } },
    preflight: ({ path, recursive = false }) => [
      ...pathPermissions(workspace, path, "remove"),
      ...(recursive ? examineMembers(workspace, path) : []),
    ],
    execute: ({ path, recursive = false }, ctx) =>
      changeFile(
        workspace,
        ctx,
        path,
        async ({ folderPath, name, info, stat }) => {
          if (stat === undefined) throw new JailError("missing");
          // What may not be removed can have been made since the permission was given.
          if (recursive) examineMembers(workspace, path);
          const removed = remove(folderPath, name, {
            recursive,
            path,
            info,
            check: (member) => checkRemovable(workspace, ctx, member),
          });
          const at = toPath(workspace, info);
          return output(`Removed ${at} (${count(removed, "object")})`, { path: at, removed });
        },
        { use: "remove" },
      ),
  });
}

/**
 * The permissions for which the rules of the workspace ask because of the members of a folder.
 *
 * @throws ToolError for members that may not be removed, and for a folder with too many members.
 */
function examineMembers(workspace: Workspace, path: string): readonly PermissionRequest[] {
  const { jail } = workspace;
  return withPath(path, () => {
    if (jail.locate(path, "remove").kind !== "directory") return [];
    // Only names are read here.
    const folder = jail.openFolder(path, () => {});
    try {
      const special: PermissionRequest[] = [];
      let members = 0;
      const skipped = walkTree(
        folder,
        jail.matcher,
        { hidden: true, ignored: true },
        ({ path: at, depth }) => {
          members += 1;
          if (members > maxMembers || depth > maxDepth) {
            throw failure(`"${path}" has too many members or levels. Use a command.`);
          }
          const realPath = `${folder.info.realPath}${at.slice(folder.info.path.length)}`;
          const classes = jail.matcher.findClasses(at);
          // Other hard links of a file that is removed stay as they are.
          const member = { path: at, realPath, classes, asksForHardLink: false };
          special.push(
            ...specialPermissions(
              workspace,
              toPathIn(workspace, folder.info, at),
              member,
              "remove",
            ),
          );
        },
      );
      if (skipped.notPermitted > 0) throw new JailError("denied");
      if (skipped.notUtf8 > 0) {
        throw failure(
          `"${path}" has members with names that are not UTF-8 (${skipped.notUtf8Names.join(", ")}). Use a command.`,
        );
      }
      if (special.length > maxSpecial) {
        throw failure(`"${path}" has more than ${maxSpecial} members that need approval.`);
      }
      return special;
    } finally {
      folder.close();
    }
  });
}

/** A member of a folder that is removed. */
type Member = Pick<PathInfo, "path" | "realPath">;

/** @throws JailError for a member that the rules deny, or for which they ask and the call was not permitted. */
function checkRemovable({ jail }: Workspace, { permissions }: PermittedCall, member: Member): void {
  const classes = jail.matcher.findClasses(member.path);
  if (classes.includes("denied")) throw new JailError("denied");
  checkMember(permissions)({ ...member, classes, asksForHardLink: false }, "remove");
}

/** An object that is removed, and how. */
interface Removal {
  readonly recursive: boolean;
  /** As the caller has named the whole. */
  readonly path: string;
  /** The object itself. */
  readonly info: Member;
  readonly check: (member: Member) => void;
}

/**
 * Removes an object. Folders are opened one from the other, and links are not followed.
 *
 * @returns the number of objects that were removed.
 */
function remove(folder: string, name: string, removal: Removal): number {
  const { recursive, path, info, check } = removal;
  let removed = 1;
  try {
    check(info);
    const entry = Entry.open(`${folder}/${name}`);
    try {
      if (entry.kind !== "directory") {
        unlinkSync(`${folder}/${name}`);
        return removed;
      }
      const members = readdirSync(entry.path);
      if (members.length > 0 && !recursive) {
        throw failure(`"${path}" is a folder that is not empty. Set recursive to remove it.`);
      }
      for (const member of members) {
        const below = {
          path: `${info.path}/${member}`,
          realPath: `${info.realPath}/${member}`,
        };
        removed += remove(entry.path, member, { ...removal, info: below });
      }
    } finally {
      entry.close();
    }
    rmdirSync(`${folder}/${name}`);
    return removed;
  } catch (error) {
    throw JailError.from(error);
  }
}
