import { renameSync, unlinkSync } from "node:fs";
import { defineTool, type PermissionRequest, type Tool, type ToolOutput } from "@toolweave/core";
import { withFolders } from "../files/replace-file.ts";
import { JailError } from "../jail/jail-error.ts";
import { checkPermitted } from "../jail/permitted-paths.ts";
import type { OpenFile, PathInfo, PathUse, WritePlace } from "../jail/path-info.ts";
import { readWhole, rewriteFile } from "../tools/rewrite-file.ts";
import { changeFile, locatePermitted, openFile } from "../tools/open-paths.ts";
import { pathPermissions } from "../tools/path-permissions.ts";
import { withPath, type Workspace } from "../tools/workspace.ts";
import { failure, output, toPath } from "./effect-output.ts";

/** The paths of a call. */
interface Paths {
  readonly from: string;
  readonly to: string;
}

const input = {
  type: "object",
  properties: { from: { type: "string", minLength: 1 }, to: { type: "string", minLength: 1 } },
  required: ["from", "to"],
  additionalProperties: false,
} as const;

/** The tool `fs_copy`: copies a file. */
export function fsCopyTool(workspace: Workspace): Tool {
  return defineTool({
    name: "fs_copy",
    description:
      "Copy a file, over one that is there, and make the folders around it: { from, to, size, created }.",
    input,
    annotations: { destructiveHint: false, access: { filesystem: "write" } },
    preflight: (paths) => bothPermissions(workspace, paths, "read"),
    execute: ({ from, to }, ctx) =>
      changeFile(workspace, ctx, to, async (target) => {
        checkIsFile(locatePermitted(workspace, ctx, from, "read"), from, "copied");
        const file = openFile(workspace, ctx, from);
        const bytes = readWhole({ ...file, openFile: () => file });
        checkAreTwo(file, target, { from, to });
        const mode = Number(file.stat.mode) & 0o777;
        const { size } = await rewriteFile(target, bytes, { mode });
        return describe(workspace, "Copied", file, target, Number(size));
      }),
  });
}

/** The tool `fs_move`: gives a file another name. */
export function fsMoveTool(workspace: Workspace): Tool {
  return defineTool({
    name: "fs_move",
    description:
      "Move a file, over one that is there, and make the folders around it: { from, to, size, created }.",
    input,
    annotations: { destructiveHint: false, access: { filesystem: "write" } },
    preflight: (paths) => bothPermissions(workspace, paths, "remove"),
    execute: ({ from, to }, ctx) =>
      // Only the target is locked: two locks could wait for each other, and a file that goes meanwhile is an error.
      changeFile(workspace, ctx, to, async (target) => {
        const source = withPath(from, () =>
          workspace.jail.openForWriting(from, checkPermitted(ctx.permissions), "remove"),
        );
        try {
          checkIsFile(source.info, from, "moved");
          checkAreTwo(source, target, { from, to });
          await withFolders(target, (folder) => rename(source, folder, target, from));
          return describe(workspace, "Moved", source, target, Number(source.stat?.size ?? 0));
        } finally {
          source.close();
        }
      }),
  });
}

function bothPermissions(
  workspace: Workspace,
  { from, to }: Paths,
  use: PathUse,
): readonly PermissionRequest[] {
  return [...pathPermissions(workspace, from, use), ...pathPermissions(workspace, to, "write")];
}

/** @throws ToolError for something that is no file. */
function checkIsFile({ kind }: PathInfo, path: string, done: string): void {
  if (kind === undefined) throw new JailError("missing").toToolError(path);
  if (kind === "file") return;
  const what = kind === "directory" ? "a folder" : "a symbolic link";
  throw failure(`"${path}" is ${what}, and only files are ${done}. Use a command.`);
}

/** @throws ToolError if both paths are the same file, also by hard links. */
function checkAreTwo(
  { stat }: Pick<OpenFile | WritePlace, "stat">,
  target: WritePlace,
  { from, to }: Paths,
): void {
  if (stat?.ino === target.stat?.ino && stat?.dev === target.stat?.dev) {
    throw failure(`"${from}" and "${to}" are the same file.`);
  }
}

async function rename(
  source: WritePlace,
  folder: string,
  target: WritePlace,
  from: string,
): Promise<void> {
  const path = `${source.folderPath}/${source.name}`;
  try {
    source.confirm(source.folderPath);
    target.confirm(folder);
    renameSync(path, `${folder}/${target.name}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new JailError("changed").toToolError(from);
    if (code !== "EXDEV") throw JailError.from(error);
    // Another root can be on another file system.
    const mode = Number(source.stat?.mode ?? 0) & 0o777;
    await rewriteFile(target, readWhole(source), { mode });
    unlinkSync(path);
  }
}

function describe(
  workspace: Workspace,
  done: string,
  { info: { realPath } }: Pick<OpenFile, "info">,
  target: WritePlace,
  size: number,
): ToolOutput {
  const from = toPath(workspace, { realPath });
  const to = toPath(workspace, target.info);
  const created = target.stat === undefined;
  return output(`${done} ${from} to ${to}`, { from, to, size, created });
}
