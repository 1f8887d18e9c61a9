import { defineTool, type Tool } from "@toolweave/core";
import { JailError } from "../jail/jail-error.ts";
import type { PathInfo } from "../jail/path-info.ts";
import { checkPermitted } from "../jail/permitted-paths.ts";
import { pathPermissions } from "../tools/path-permissions.ts";
import { withPath, type Workspace } from "../tools/workspace.ts";
import { count, output, toPath } from "./effect-output.ts";
import { readAll, toUtf8 } from "./read-all.ts";

const encodings = ["utf-8", "base64"] as const;

/** The tool `fs_read`: a whole file. */
export function fsReadTool(workspace: Workspace): Tool {
  return defineTool({
    name: "fs_read",
    description: "The whole content of a file: { text }, or { base64 }.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1 },
        encoding: { type: "string", enum: encodings, description: "Default: utf-8." },
      },
      required: ["path"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, access: { filesystem: "read" } },
    preflight: ({ path }) => pathPermissions(workspace, path, "read"),
    execute: ({ path, encoding = "utf-8" }, ctx) => {
      const { bytes, info } = readAll(workspace, ctx, path);
      const text = `Read ${toPath(workspace, info)} (${count(bytes.length, "byte")})`;
      return encoding === "base64"
        ? output(text, { base64: bytes.toString("base64") })
        : output(text, { text: toUtf8(bytes, path) });
    },
  });
}

/** The tool `fs_stat`: whether something exists, and what it is. */
export function fsStatTool(workspace: Workspace): Tool {
  return defineTool({
    name: "fs_stat",
    description:
      "What a path is: { exists, is_file, is_dir, size, modified_ms }, or { exists: false }.",
    input: {
      type: "object",
      properties: { path: { type: "string", minLength: 1 } },
      required: ["path"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, access: { filesystem: "read" } },
    preflight: ({ path }) =>
      find(workspace, path) === undefined ? [] : pathPermissions(workspace, path, "read"),
    execute: ({ path }, ctx) => {
      const info = find(workspace, path);
      if (info?.stat !== undefined)
        withPath(path, () => checkPermitted(ctx.permissions)(info, "read"));
      if (info?.stat === undefined) return output(`${path} does not exist`, { exists: false });
      const isFile = info.kind === "file";
      return output(`${toPath(workspace, info)} is a ${isFile ? "file" : "folder"}`, {
        exists: true,
        is_file: isFile,
        is_dir: !isFile,
        // That of a folder says nothing about its members.
        size: isFile ? Number(info.stat.size) : 0,
        modified_ms: Number(info.stat.mtimeMs),
      });
    },
  });
}

/** Undefined: there can be nothing, since something around it is a file or does not exist. */
function find({ jail }: Workspace, path: string): PathInfo | undefined {
  return withPath(path, () => {
    try {
      return jail.locate(path, "read");
    } catch (error) {
      if (error instanceof JailError && ["missing", "noFolder"].includes(error.fault)) {
        return undefined;
      }
      throw error;
    }
  });
}
