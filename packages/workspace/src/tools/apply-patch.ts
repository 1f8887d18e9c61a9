import { rmSync } from "node:fs";
import {
  defineTool,
  ToolError,
  type PermissionRequest,
  type Tool,
  type ToolOutput,
} from "@toolweave/core";
import { applyHunks } from "../files/apply-hunks.ts";
import { parsePatch, type PatchOperation } from "../files/parse-patch.ts";
import { replaceFile } from "../files/replace-file.ts";
import { decodeText, detectFormat, encodeText } from "../files/text-format.ts";
import type { WritePlace } from "../jail/path-info.ts";
import { readWhole, rewriteFile } from "./rewrite-file.ts";
import { changeFiles } from "./open-paths.ts";
import { maxPermissions, pathPermissions } from "./path-permissions.ts";
import { displayPath, toPathError, type CallOwner, type Workspace } from "./workspace.ts";
import { failure } from "../files/failure.ts";

/** The tool `apply_patch`. */
export function applyPatchTool(workspace: Workspace): Tool {
  return defineTool({
    name: "apply_patch",
    description:
      'Add, update, move and delete files of the workspace with one patch: "*** Begin Patch", then for each file "*** Add File: path", "*** Update File: path" or "*** Delete File: path", then "*** End Patch". Changes of a file are lines after "@@" that begin with " ", "-" or "+". All files are changed, or none.',
    input: {
      type: "object",
      properties: { patch: { type: "string", minLength: 1 } },
      required: ["patch"],
      additionalProperties: false,
    },
    annotations: { destructiveHint: true, access: { filesystem: "write" } },
    preflight: ({ patch }) => {
      const permissions = new Map<string, PermissionRequest>();
      for (const path of parsePatch(patch).flatMap(getPaths)) {
        for (const permission of pathPermissions(workspace, path, "write")) {
          permissions.set(`${permission.kind} ${permission.target}`, permission);
        }
      }
      if (permissions.size > maxPermissions) {
        throw new ToolError(
          "invalid_arguments",
          `The patch needs ${permissions.size} permissions for its files, and may need ${maxPermissions}. Split it.`,
        );
      }
      return [...permissions.values()];
    },
    execute: ({ patch }, ctx) => {
      const operations = parsePatch(patch);
      return changeFiles(workspace, ctx, operations.flatMap(getPaths), async (places) => {
        checkAreDifferent(operations, places);
        const changes = operations.flatMap((one) => planChanges(workspace, ctx, one, places));
        await commit(workspace, ctx, changes);
        return describe(changes);
      });
    },
  });
}

function getPaths(operation: PatchOperation): readonly string[] {
  return operation.kind === "update" && operation.moveTo !== undefined
    ? [operation.path, operation.moveTo]
    : [operation.path];
}

/** @throws ToolError `invalid_arguments` for two operations on one file, by whatever paths. */
function checkAreDifferent(
  operations: readonly PatchOperation[],
  places: ReadonlyMap<string, WritePlace>,
): void {
  const known = new Map<string, { readonly path: string; readonly operation: PatchOperation }>();
  for (const operation of operations) {
    for (const path of getPaths(operation)) {
      const { realPath } = (places.get(path) as WritePlace).info;
      const other = known.get(realPath);
      if (other !== undefined && other.operation !== operation) {
        throw new ToolError(
          "invalid_arguments",
          `"${other.path}" and "${path}" are the same file. Make one change of it.`,
        );
      }
      known.set(realPath, { path, operation });
    }
  }
}

/** The change of one file. */
interface FileChange {
  readonly place: WritePlace;
  /** Undefined: there was no file. */
  readonly before: Buffer | undefined;
  /** Undefined: the file goes. */
  readonly after: Buffer | undefined;
  /** For the model. */
  readonly text: string;
}

function planChanges(
  workspace: Workspace,
  owner: CallOwner,
  operation: PatchOperation,
  places: ReadonlyMap<string, WritePlace>,
): readonly FileChange[] {
  const place = places.get(operation.path) as WritePlace;
  const path = displayPath(place.info);
  if (operation.kind === "add") {
    const before = readSeen(workspace, owner, place);
    const text = operation.lines.map((line) => `${line}\n`).join("");
    const verb = before === undefined ? "Added" : "Overwrote";
    return [{ place, before, after: encodeText(text, "utf8"), text: `${verb} ${path}` }];
  }
  if (place.stat === undefined) throw failure(`"${path}" does not exist.`);
  const before = readWhole(place);
  if (operation.kind === "delete")
    return [{ place, before, after: undefined, text: `Deleted ${path}` }];
  const { sections } = operation;
  const moveTo = isMoved(operation, places) ? operation.moveTo : undefined;
  const format = detectFormat(before);
  if (format === undefined) throw failure(`"${path}" is no text. Use a command to change it.`);
  let text = decodeText(before, format);
  const looseMatches = sections.flatMap((hunks) => {
    const patched = withPathInError(path, () => applyHunks(text, hunks));
    text = patched.text;
    return patched.looseMatches;
  });
  // Half of a character at the end of a UTF-16 file is no text, and stays.
  const isWide = format.encoding === "utf16le" || format.encoding === "utf16be";
  const rest = isWide ? before.length % 2 : 0;
  const after = Buffer.concat([
    before.subarray(0, format.bomBytes),
    encodeText(text, format.encoding),
    before.subarray(before.length - rest),
  ]);
  const note = looseMatches.length === 0 ? "" : ` (matched but for ${looseMatches.join(", ")})`;
  if (moveTo === undefined) return [{ place, before, after, text: `Updated ${path}${note}` }];
  const target = places.get(moveTo) as WritePlace;
  const replaced = readSeen(workspace, owner, target);
  return [
    {
      place: target,
      before: replaced,
      after,
      text: `Moved ${path} to ${displayPath(target.info)}${note}`,
    },
    { place, before, after: undefined, text: "" },
  ];
}

/** Whether an operation gives its file another place, and not only another path. */
function isMoved(
  { path, moveTo }: Extract<PatchOperation, { kind: "update" }>,
  places: ReadonlyMap<string, WritePlace>,
): boolean {
  const target = moveTo === undefined ? undefined : places.get(moveTo);
  return target !== undefined && target.info.realPath !== places.get(path)?.info.realPath;
}

/** The content of a file that is to be overwritten. Undefined: there is none. */
function readSeen(workspace: Workspace, owner: CallOwner, place: WritePlace): Buffer | undefined {
  const { stat, info } = place;
  if (stat === undefined) return undefined;
  if (workspace.seenBy(owner).getState(info.realPath, stat) !== "seen") {
    throw failure(
      `"${displayPath(info)}" exists. Read it with read_file before it is overwritten.`,
    );
  }
  return readWhole(place);
}

/** Makes all changes. If one fails, those before it are taken back. */
async function commit(
  workspace: Workspace,
  owner: CallOwner,
  changes: readonly FileChange[],
): Promise<void> {
  const seen = workspace.seenBy(owner);
  for (const [index, { place, after }] of changes.entries()) {
    try {
      if (after === undefined) remove(place);
      else {
        const stat = await rewriteFile(place, after);
        seen.add(place.info.realPath, stat);
      }
    } catch (error) {
      for (const done of changes.slice(0, index).toReversed()) await undo(done);
      throw toPathError(displayPath(place.info), error);
    }
  }
}

async function undo({ place, before }: FileChange): Promise<void> {
  if (before === undefined) remove(place);
  else await replaceFile(place, before);
}

function remove({ folderPath, name, missingFolders, confirm }: WritePlace): void {
  if (missingFolders.length === 0) confirm(folderPath);
  rmSync([folderPath, ...missingFolders, name].join("/"));
}

function describe(changes: readonly FileChange[]): ToolOutput {
  const texts = changes.map(({ text }) => text).filter((text) => text !== "");
  return {
    content: [{ type: "text", text: texts.join("\n") }],
    value: {
      files: changes.map(({ place, before, after }) => ({
        path: displayPath(place.info),
        change: after === undefined ? "deleted" : before === undefined ? "added" : "updated",
      })),
    },
  };
}

function withPathInError<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof ToolError ? failure(`${path}: ${error.message}`) : error;
  }
}
