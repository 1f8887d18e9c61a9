import { defineTool, type Tool } from "@toolweave/core";
import { makeFolder, withFolders } from "../files/replace-file.ts";
import { detectFormat, encodeText } from "../files/text-format.ts";
import type { WritePlace } from "../jail/path-info.ts";
import { readWhole, rewriteFile } from "../tools/rewrite-file.ts";
import { changeFile, locatePermitted } from "../tools/open-paths.ts";
import { pathPermissions } from "../tools/path-permissions.ts";
import type { Workspace } from "../tools/workspace.ts";
import { count, failure, output, toPath } from "./effect-output.ts";

const modes = ["create", "overwrite", "append"] as const;
type WriteMode = (typeof modes)[number];

/** The tool `fs_write`: writes a whole file. */
export function fsWriteTool(workspace: Workspace): Tool {
  return defineTool({
    name: "fs_write",
    description:
      "Write a whole file as UTF-8, and the folders around it: { path, size, created }. create: only a new file; append: after its content.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1 },
        content: { type: "string" },
        mode: {
          type: "string",
          enum: modes,
          description: "Default: overwrite, also if there is no file.",
        },
      },
      required: ["path", "content"],
      additionalProperties: false,
    },
    annotations: { destructiveHint: false, access: { filesystem: "write" } },
    preflight: ({ path }) => pathPermissions(workspace, path, "write"),
    execute: ({ path, content, mode = "overwrite" }, ctx) =>
      changeFile(workspace, ctx, path, async (place) => {
        const isNew = place.stat === undefined;
        if (mode === "create" && !isNew) throw failure(`"${path}" exists already.`);
        const { size } = await rewriteFile(place, toBytes(place, content, mode));
        const at = toPath(workspace, place.info);
        const text = `${isNew ? "Created" : "Wrote"} ${at} (${count(Number(size), "byte")})`;
        return output(text, { path: at, size: Number(size), created: isNew });
      }),
  });
}

/** The bytes of the file. Text that is appended has the encoding of the text before it. */
function toBytes(place: WritePlace, content: string, mode: WriteMode): Buffer {
  if (mode !== "append" || place.stat === undefined) return encodeText(content, "utf8");
  const before = readWhole(place);
  const encoding = detectFormat(before)?.encoding ?? "utf8";
  return Buffer.concat([before, encodeText(content, encoding)]);
}

/** The tool `fs_mkdir`: makes a folder. */
export function fsMkdirTool(workspace: Workspace): Tool {
  return defineTool({
    name: "fs_mkdir",
    description: "Make a folder, and those around it, unless it is there: { path, created }.",
    input: {
      type: "object",
      properties: { path: { type: "string", minLength: 1 } },
      required: ["path"],
      additionalProperties: false,
    },
    annotations: {
      destructiveHint: false,
      idempotentHint: true,
      access: { filesystem: "write" },
    },
    preflight: ({ path }) => pathPermissions(workspace, path, "write"),
    execute: async ({ path }, ctx) => {
      const info = locatePermitted(workspace, ctx, path, "write");
      if (info.kind === "directory") {
        const at = toPath(workspace, info);
        return output(`${at} is there already`, { path: at, created: false });
      }
      return changeFile(workspace, ctx, path, async (place) => {
        if (place.stat !== undefined) throw failure(`"${path}" is a file.`);
        await withFolders(place, (folder) => makeFolder(folder, place.name).close());
        const at = toPath(workspace, place.info);
        return output(`Made ${at}`, { path: at, created: true });
      });
    },
  });
}
