import { readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { defineTool, type PermissionRequest, type Tool } from "@toolweave/core";
import { walkTree } from "../files/walk-tree.ts";
import { Entry } from "../jail/entry.ts";
import { JailError } from "../jail/jail-error.ts";
import {
  changeFile,
  pathPermissions,
  specialPermissions,
  withPath,
  type Workspace,
} from "../tools/workspace.ts";
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
    execute: ({ path, recursive = false }) =>
      changeFile(
        workspace,
        path,
        async ({ folderPath, name, info, stat }) => {
          if (stat === undefined) throw new JailError("missing");
          // Again: what may not be removed can have been made since the permission was given.
          if (recursive) examineMembers(workspace, path);
          const removed = remove(folderPath, name, recursive, path);
          const at = toPath(workspace, info);
          return output(`Removed ${at} (${count(removed, "object")})`, { path: at, removed });
        },
        "remove",
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
    const folder = jail.openFolder(path);
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
      if (special.length > maxSpecial) {
        throw failure(`"${path}" has more than ${maxSpecial} members that need approval.`);
      }
      return special;
    } finally {
      folder.close();
    }
  });
}

/**
 * Removes an object. Folders are opened one from the other, and links are not followed.
 *
 * @param path as the caller has named it.
 * @returns the number of objects that were removed.
 */
function remove(folder: string, name: string, recursive: boolean, path: string): number {
  let removed = 1;
  try {
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
      for (const member of members) removed += remove(entry.path, member, recursive, path);
    } finally {
      entry.close();
    }
    rmdirSync(`${folder}/${name}`);
    return removed;
  } catch (error) {
    throw JailError.from(error);
  }
}
