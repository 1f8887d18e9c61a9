import { defineTool, type Tool, type ToolOutput } from "@toolweave/core";
import {
  decodeText,
  detectFormat,
  detectLineEnding,
  encodeText,
  type LineEnding,
} from "../files/text-format.ts";
import type { WritePlace } from "../jail/path-info.ts";
import { readWhole, rewriteFile } from "./rewrite-file.ts";
import { changeFile } from "./open-paths.ts";
import { pathPermissions } from "./path-permissions.ts";
import { output, displayPath, type CallOwner, type Workspace } from "./workspace.ts";
import { failure } from "../files/failure.ts";

const modes = ["create", "overwrite", "append"] as const;
type WriteMode = (typeof modes)[number];

/** The tool `write_file`. */
export function writeFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "write_file",
    description:
      "Write a whole file of the workspace. Folders are created as needed. A file that exists has to be read before it is overwritten. To change a part of a file, use edit_file.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "Relative to the workspace." },
        content: { type: "string" },
        mode: {
          type: "string",
          enum: modes,
          description: "Default: creates the file, or overwrites one that was read.",
        },
        executable: { type: "boolean", description: "For a new file. Default: false." },
      },
      required: ["path", "content"],
      additionalProperties: false,
    },
    annotations: { destructiveHint: false, access: { filesystem: "write" } },
    preflight: ({ path }) => pathPermissions(workspace, path, "write"),
    execute: ({ path, content, mode, executable = false }, ctx) =>
      changeFile(workspace, ctx, path, async (place) => {
        const { before, text } = prepare(workspace, ctx, place, { content, mode });
        const after = await rewriteFile(place, text, executable ? { mode: 0o777 } : {});
        workspace.seenBy(ctx).add(place.info.realPath, after);
        return describe(place, before, text);
      }),
  });
}

interface WriteRequest {
  readonly content: string;
  readonly mode: WriteMode | undefined;
}

/** The bytes of the file before and after. */
interface Rewrite {
  readonly before: Buffer | undefined;
  readonly text: Buffer;
}

function prepare(
  workspace: Workspace,
  owner: CallOwner,
  place: WritePlace,
  { content, mode }: WriteRequest,
): Rewrite {
  const { stat, info } = place;
  if (stat === undefined) {
    if (mode !== "overwrite") return { before: undefined, text: encodeText(content, "utf8") };
    throw failure(`"${displayPath(info)}" does not exist. Leave mode out, or use "create".`);
  }
  const path = displayPath(info);
  if (mode === "create")
    throw failure(`"${path}" exists already. Read it, then use edit_file, or mode "overwrite".`);
  const state = workspace.seenBy(owner).getState(info.realPath, stat);
  if (mode !== "append" && state !== "seen") {
    const why = state === "unseen" ? "exists, and was not read" : "has changed since it was read";
    throw failure(`"${path}" ${why}. Read it with read_file, then write it.`);
  }
  const before = readWhole(place);
  return { before, text: rewrite(before, content, mode === "append") };
}

/** The line endings that a line feed becomes. */
const lineEndings: Readonly<Partial<Record<LineEnding, string>>> = { crlf: "\r\n", cr: "\r" };

/** The new bytes, with the encoding, byte order mark and line ending that the file has as a whole. */
function rewrite(before: Buffer, content: string, appends: boolean): Buffer {
  const format = detectFormat(before) ?? { encoding: "utf8", bomBytes: 0 };
  const ending = lineEndings[detectLineEnding(decodeText(before, format))];
  const isOther = ending !== undefined && !content.includes("\r");
  const text = isOther ? content.replaceAll("\n", ending) : content;
  // A file of no known encoding that is overwritten as a whole becomes UTF-8.
  const isUnknown = format.encoding === "latin1" && !appends;
  const bytes = encodeText(text, isUnknown ? "utf8" : format.encoding);
  const start = appends ? before : before.subarray(0, isUnknown ? 0 : format.bomBytes);
  return Buffer.concat([start, bytes]);
}

function describe({ info }: WritePlace, before: Buffer | undefined, text: Buffer): ToolOutput {
  const path = displayPath(info);
  const size = text.length;
  if (before === undefined) {
    return output(`Created ${path} (${size} bytes)`, { path, size, created: true });
  }
  const { added, removed } = countLines(before, text);
  return output(`Overwrote ${path} (+${added} -${removed} lines)`, {
    path,
    size,
    created: false,
    added,
    removed,
  });
}

/** Lines that were added and removed, where beginning and end of the file are the same. */
function countLines(before: Buffer, after: Buffer): { added: number; removed: number } {
  const old = before.toString("latin1").split("\n");
  const fresh = after.toString("latin1").split("\n");
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, fresh.length) - head;
  while (tail < most && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  return { added: fresh.length - head - tail, removed: old.length - head - tail };
}
