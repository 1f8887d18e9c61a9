import { defineTool, type Tool, type ToolOutput } from "@toolweave/core";
import { compileFileGlob, namesHidden } from "../jail/glob.ts";
import { toListedPath } from "../files/list-names.ts";
import { walkTree, type SkippedEntries } from "../files/walk-tree.ts";
import { withFolder } from "./open-paths.ts";
import { pathPermissions } from "./path-permissions.ts";
import { displayPath, type Workspace } from "./workspace.ts";

const defaultDepth = 3;
const defaultLimit = 200;
const maxLimit = 2_000;
/** Entries that are looked at. */
const maxEntries = 200_000;

interface ListedEntry {
  readonly path: string;
  readonly kind: "file" | "directory" | "link";
  readonly size: number;
  readonly mtimeMs: number;
}

/** The tool `list_files`. */
export function listFilesTool(workspace: Workspace): Tool {
  return defineTool({
    name: "list_files",
    description:
      "List files and folders of the workspace with their sizes. A glob such as **/*.ts finds files at any depth. Ignored and hidden entries are only counted.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", description: "A folder. Default: the workspace." },
        glob: {
          type: "string",
          minLength: 1,
          maxLength: 1_000,
          description: "Relative to path. Without a slash: names at any depth.",
        },
        depth: {
          type: "integer",
          minimum: 1,
          maximum: 50,
          description: `Levels. Default: ${defaultDepth}; with glob, all.`,
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: maxLimit,
          description: `Entries. Default: ${defaultLimit}.`,
        },
        hidden: {
          type: "boolean",
          description:
            "Also entries whose names begin with a dot. Default: only if glob names one.",
        },
        ignored: { type: "boolean", description: "Also what .gitignore names. Default: false." },
        sort: {
          type: "string",
          enum: ["name", "mtime"],
          description: "mtime: the newest first. Default: name.",
        },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, access: { filesystem: "read" } },
    preflight: ({ path = "." }) => pathPermissions(workspace, path, "read"),
    execute: (
      {
        path = ".",
        glob,
        depth,
        limit = defaultLimit,
        hidden = glob !== undefined && namesHidden(glob),
        ignored = false,
        sort = "name",
      },
      ctx,
    ) =>
      withFolder(workspace, ctx, path, (folder) => {
        const found: ListedEntry[] = [];
        let seen = 0;
        const matches = glob === undefined ? undefined : compileFileGlob(glob);
        const skipped = walkTree(
          folder,
          workspace.jail.matcher,
          {
            maxDepth: depth ?? (glob === undefined ? defaultDepth : Infinity),
            hidden,
            ignored,
            isStopped: () => seen >= maxEntries || ctx.signal.aborted,
          },
          ({ path: at, name, kind, stat }) => {
            seen += 1;
            if (matches !== undefined && (kind === "directory" || !matches(name))) return;
            found.push({
              path: at,
              kind,
              size: Number(stat.size),
              mtimeMs: Number(stat.mtimeMs),
            });
          },
        );
        ctx.signal.throwIfAborted();
        if (sort === "mtime") found.sort((a, b) => b.mtimeMs - a.mtimeMs);
        return describe(displayPath(folder.info), found, limit, skipped, seen >= maxEntries);
      }),
  });
}

function describe(
  path: string,
  found: readonly ListedEntry[],
  limit: number,
  skipped: SkippedEntries,
  isCut: boolean,
): ToolOutput {
  const listed = found.slice(0, limit);
  const lines = listed.map(({ path: at, kind, size }) =>
    kind === "directory"
      ? `${"".padStart(10)}  ${toListedPath(at)}/`
      : `${formatSize(size).padStart(10)}  ${toListedPath(at)}${kind === "link" ? " (link)" : ""}`,
  );
  const notes = [
    ...(found.length > limit ? [`+${found.length - limit} more`] : []),
    ...(isCut ? [`only the first ${maxEntries} entries were examined`] : []),
    ...describeSkipped(skipped),
  ];
  if (listed.length === 0) lines.push(`[nothing in ${toListedPath(path)}]`);
  if (notes.length > 0) lines.push(`[${notes.join("; ")}]`);
  return {
    content: [{ type: "text", text: lines.join("\n") }],
    value: {
      path,
      entries: listed.map(({ path: at, kind, size }) => ({ path: at, kind, size })),
      total: found.length,
      skipped: { ...skipped },
    },
  };
}

/** The reasons for which entries were skipped, for the end of a result. */
export function describeSkipped({
  ignored,
  hidden,
  notPermitted,
  special,
  notUtf8,
  notUtf8Names,
}: SkippedEntries): readonly string[] {
  return [
    ...(ignored > 0 ? [`${ignored} ignored`] : []),
    ...(hidden > 0 ? [`${hidden} hidden`] : []),
    ...(notPermitted > 0 ? [`${notPermitted} not permitted`] : []),
    ...(special > 0 ? [`${special} pipes, sockets or devices`] : []),
    ...(notUtf8 > 0 ? [describeNames(notUtf8, notUtf8Names)] : []),
  ];
}

function describeNames(count: number, names: readonly string[]): string {
  const more = count > names.length ? ", …" : "";
  return `${count} with names that are not UTF-8, which only commands can use (${names.map(toListedPath).join(", ")}${more})`;
}

function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = "B";
  for (const next of units) {
    if (value < 1000) break;
    value /= 1000;
    unit = next;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
