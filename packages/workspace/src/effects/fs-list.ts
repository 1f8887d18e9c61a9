import { defineTool, ToolError, type JsonObject, type Tool } from "@toolweave/core";
import { compileGlobs } from "../jail/glob.ts";
import { walkTree } from "../files/walk-tree.ts";
import { withFolder } from "../tools/open-paths.ts";
import { pathPermissions } from "../tools/path-permissions.ts";
import type { Workspace } from "../tools/workspace.ts";
import { count, countUnnamed, output, toPath, toPathIn } from "./effect-output.ts";

const maxListed = 10_000;
/** Entries that are looked at. */
const maxEntries = 200_000;

/** The tool `fs_list`: the members of a folder. */
export function fsListTool(workspace: Workspace): Tool {
  return defineTool({
    name: "fs_list",
    description:
      "The members of a folder by name: { entries: [{ name, is_file, is_dir, size }] }. A link is neither a file nor a folder.",
    input: {
      type: "object",
      properties: { path: { type: "string", description: "Default: the workspace." } },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, access: { filesystem: "read" } },
    preflight: ({ path = "." }) => pathPermissions(workspace, path, "read"),
    execute: ({ path = "." }, ctx) =>
      withFolder(workspace, ctx, path, (folder) => {
        const entries: JsonObject[] = [];
        let isTruncated = false;
        const skipped = walkTree(
          folder,
          workspace.jail.matcher,
          { maxDepth: 1, hidden: true, ignored: true, isStopped: () => isTruncated },
          ({ name, kind, stat }) => {
            isTruncated = entries.length === maxListed;
            if (isTruncated) return;
            const isFile = kind === "file";
            const size = isFile ? Number(stat.size) : 0;
            entries.push({ name, is_file: isFile, is_dir: kind === "directory", size });
          },
        );
        const text = `${toPath(workspace, folder.info)} has ${count(entries.length, "member")}`;
        return output(text, {
          entries,
          ...(isTruncated ? { truncated: true } : {}),
          ...countUnnamed(skipped),
        });
      }),
  });
}

/** The tool `fs_glob`: the files that match a glob. */
export function fsGlobTool(workspace: Workspace): Tool {
  return defineTool({
    name: "fs_glob",
    description:
      "The files whose paths match a glob such as src/**/*.ts: { paths }, sorted, relative to the workspace. Names that begin with a dot match only if the glob has the dot.",
    input: {
      type: "object",
      properties: {
        pattern: {
          type: "string",
          minLength: 1,
          maxLength: 1_000,
          description: "Relative to path.",
        },
        path: { type: "string", description: "A folder. Default: the workspace." },
        ignored: {
          type: "boolean",
          description: "Also what .gitignore names, and node_modules. Default: true.",
        },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, access: { filesystem: "read" } },
    preflight: ({ path = "." }) => pathPermissions(workspace, path, "read"),
    execute: ({ pattern, path = ".", ignored = true }, ctx) => {
      const { signal } = ctx;
      const glob = checkGlob(pattern);
      return withFolder(workspace, ctx, path, (folder) => {
        const matches = compileGlobs([glob], { dot: false });
        const paths: string[] = [];
        let seen = 0;
        const isFull = (): boolean => seen >= maxEntries || paths.length > maxListed;
        const skipped = walkTree(
          folder,
          workspace.jail.matcher,
          {
            maxDepth: computeDepth(glob),
            hidden: true,
            ignored,
            isStopped: () => isFull() || signal.aborted,
          },
          ({ path: at, name, kind }) => {
            seen += 1;
            if (kind === "directory" || !matches(name)) return;
            paths.push(toPathIn(workspace, folder.info, at));
          },
        );
        signal.throwIfAborted();
        const listed = paths.slice(0, maxListed).sort();
        const truncated = isFull() ? { truncated: true } : {};
        return output(count(listed.length, "path"), {
          paths: listed,
          ...truncated,
          ...countUnnamed(skipped),
        });
      });
    },
  });
}

function checkGlob(pattern: string): string {
  const glob = pattern.replace(/^\.\//, "");
  if (glob.startsWith("/") || glob.split("/").includes("..")) {
    throw new ToolError(
      "invalid_arguments",
      `pattern is "${pattern.slice(0, 100)}", and has to be relative to path, without "..".`,
    );
  }
  return glob;
}

/** The levels below the folder in which a glob can match. */
function computeDepth(glob: string): number {
  // Braces can hold slashes.
  return /\*\*|\{/.test(glob) ? Infinity : glob.split("/").length;
}
