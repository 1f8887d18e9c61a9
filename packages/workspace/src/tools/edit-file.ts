import { defineTool, type Tool, type ToolOutput } from "@toolweave/core";
import { editBytes, type EditedBytes, type TextEdit } from "../files/edit-text.ts";
import { carriageReturn, lineFeed } from "../files/read-lines.ts";
import { decodeText, detectFormat, type TextFormat } from "../files/text-format.ts";
import { toUnifiedDiff } from "../files/unified-diff.ts";
import type { WritePlace } from "../jail/path-info.ts";
import { readWhole, rewriteFile } from "./rewrite-file.ts";
import { changeFile } from "./open-paths.ts";
import { pathPermissions } from "./path-permissions.ts";
import { displayPath, type Workspace } from "./workspace.ts";
import { failure } from "../files/failure.ts";

/** The tool `edit_file`. */
export function editFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "edit_file",
    description:
      "Replace text in a file of the workspace. Each old text must be in the file exactly once, as it is, without line numbers. All edits are made, or none. Everything else in the file stays as it is.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "Relative to the workspace." },
        edits: {
          type: "array",
          minItems: 1,
          maxItems: 100,
          items: {
            type: "object",
            properties: {
              old: {
                type: "string",
                description: "The text to replace, with enough around it to be unique.",
              },
              new: { type: "string", description: "The text in its place." },
              replace_all: { type: "boolean", description: "Replace every match. Default: false." },
              expect: {
                type: "integer",
                minimum: 1,
                description: "Replace this many matches, and fail at any other number.",
              },
            },
            required: ["old", "new"],
            additionalProperties: false,
          },
        },
        dry_run: { type: "boolean", description: "Only show the difference. Default: false." },
      },
      required: ["path", "edits"],
      additionalProperties: false,
    },
    annotations: { destructiveHint: false, access: { filesystem: "write" } },
    preflight: ({ path, dry_run: isDryRun = false }) =>
      pathPermissions(workspace, path, isDryRun ? "read" : "write"),
    execute: ({ path, edits, dry_run: isDryRun = false }, ctx) =>
      changeFile(
        workspace,
        ctx,
        path,
        async (place) => {
          const { before, format, edited } = prepare(place, edits);
          const seen = workspace.seenBy(ctx);
          const state =
            place.stat === undefined ? "seen" : seen.getState(place.info.realPath, place.stat);
          if (!isDryRun) {
            const after = await rewriteFile(place, edited.bytes);
            seen.add(place.info.realPath, after);
          }
          return describe(place, before, format, edited, {
            isDryRun,
            hasChanged: state === "changed",
          });
        },
        isDryRun ? { permittedUse: "read" } : {},
      ),
  });
}

interface Edited {
  readonly before: Buffer;
  readonly format: TextFormat;
  readonly edited: EditedBytes;
}

function prepare(place: WritePlace, edits: readonly TextEdit[]): Edited {
  const path = displayPath(place.info);
  if (place.stat === undefined)
    throw failure(`"${path}" does not exist. Use write_file to create it.`);
  const before = readWhole(place);
  const format = detectFormat(before);
  if (format === undefined) throw failure(`"${path}" is no text. Use a command to change it.`);
  return { before, format, edited: editBytes(before, format, edits) };
}

function describe(
  { info }: WritePlace,
  before: Buffer,
  format: TextFormat,
  { spans }: EditedBytes,
  { isDryRun, hasChanged }: { readonly isDryRun: boolean; readonly hasChanged: boolean },
): ToolOutput {
  const path = displayPath(info);
  const body: TextFormat = { encoding: format.encoding, bomBytes: 0 };
  // The lines of UTF-16 are not separated by single bytes, so that no diff is made of them.
  const diff = format.encoding.startsWith("utf16")
    ? ""
    : `\n${toUnifiedDiff(
        toLineFeeds(before),
        spans.map((span) => ({ ...span, bytes: toLineFeeds(span.bytes) })),
        (bytes) => decodeText(bytes, body),
      )}`;
  const lines = spans.map(({ line }) => line);
  const count = spans.length === 1 ? "1 replacement" : `${spans.length} replacements`;
  const where = `${lines.length === 1 ? "line" : "lines"} ${lines.slice(0, 20).join(", ")}${lines.length > 20 ? ", …" : ""}`;
  const note = hasChanged
    ? "\nThe file had changed since it was read; the text was still there."
    : "";
  const verb = isDryRun ? "Would make" : "Made";
  return {
    content: [{ type: "text", text: `${verb} ${count} in ${path}, ${where}.${note}${diff}` }],
    value: { path, replacements: spans.length, lines },
    details: {
      spans: spans.map(({ start, end, bytes }) => ({ start, end, length: bytes.length })),
    },
  };
}

/** The bytes of a text whose lines end with carriage returns, as the lines of a diff; others as they are. */
function toLineFeeds(bytes: Buffer): Buffer {
  if (bytes.includes(lineFeed) || !bytes.includes(carriageReturn)) return bytes;
  return bytes.map((byte) => (byte === carriageReturn ? lineFeed : byte)) as Buffer;
}
