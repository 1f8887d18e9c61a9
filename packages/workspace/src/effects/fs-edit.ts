import { defineTool, ToolError, type Tool } from "@toolweave/core";
import { editLines } from "../files/edit-lines.ts";
import { editBytes, type EditedBytes } from "../files/edit-text.ts";
import { detectFormat, type TextFormat } from "../files/text-format.ts";
import { JailError } from "../jail/jail-error.ts";
import { readWhole, rewriteFile } from "../tools/rewrite-file.ts";
import { changeFile } from "../tools/open-paths.ts";
import { pathPermissions } from "../tools/path-permissions.ts";
import { type Workspace } from "../tools/workspace.ts";
import { count, failure, output, toPath } from "./effect-output.ts";

/** A text that is replaced. */
interface Replacement {
  readonly old: string;
  readonly new: string;
  readonly all?: boolean;
}

/** Lines that are replaced. */
interface Lines {
  readonly start: number;
  readonly end?: number;
  readonly insert?: string;
}

/** The tool `fs_edit`: changes texts or lines of a file. */
export function fsEditTool(workspace: Workspace): Tool {
  return defineTool({
    name: "fs_edit",
    description:
      "Replace texts or lines of a file, and leave all else in it as it is: { path, replacements, size }. Give edits or lines.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1 },
        edits: {
          type: "array",
          minItems: 1,
          maxItems: 1_000,
          items: {
            type: "object",
            properties: {
              old: { type: "string", minLength: 1 },
              new: { type: "string" },
              all: {
                type: "boolean",
                description: "Every match. Default: false: there must be exactly one.",
              },
            },
            required: ["old", "new"],
            additionalProperties: false,
          },
        },
        lines: {
          type: "object",
          properties: {
            start: { type: "integer", minimum: 1, description: "From 1 on." },
            end: {
              type: "integer",
              minimum: 0,
              description: "The last line. Default: start. start - 1: insert before start.",
            },
            insert: { type: "string", description: "The new lines. Default: none." },
          },
          required: ["start"],
          additionalProperties: false,
        },
      },
      required: ["path"],
      additionalProperties: false,
    },
    annotations: { destructiveHint: false, access: { filesystem: "write" } },
    preflight: ({ path, edits, lines }) => {
      toEdit(edits, lines);
      return pathPermissions(workspace, path, "write");
    },
    execute: ({ path, edits, lines }, ctx) =>
      changeFile(workspace, ctx, path, async (place) => {
        const edit = toEdit(edits, lines);
        if (place.stat === undefined) throw new JailError("missing");
        const before = readWhole(place);
        const format = detectFormat(before);
        if (format === undefined) throw failure(`"${path}" is no text.`);
        const { bytes, spans } = edit(before, format);
        await rewriteFile(place, bytes);
        const at = toPath(workspace, place.info);
        const replacements = spans.length;
        const text = `Made ${count(replacements, "replacement")} in ${at}`;
        return output(text, { path: at, replacements, size: bytes.length });
      }),
  });
}

/** @throws ToolError `invalid_arguments` unless there is exactly one of them. */
function toEdit(
  edits: readonly Replacement[] | undefined,
  lines: Lines | undefined,
): (bytes: Buffer, format: TextFormat) => EditedBytes {
  if (edits !== undefined && lines === undefined) {
    const all = edits.map(({ all: replacesAll = false, ...edit }) => ({
      ...edit,
      replace_all: replacesAll,
    }));
    return (bytes, format) => editBytes(bytes, format, all, "all");
  }
  if (lines !== undefined && edits === undefined) {
    const { start, end = start, insert = "" } = lines;
    return (bytes, format) => editLines(bytes, format, { start, end, insert });
  }
  throw new ToolError("invalid_arguments", "Give either edits or lines.");
}
