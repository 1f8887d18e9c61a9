import { defineTool, ToolError, type Tool, type ToolOutput } from "@toolweave/core";
import type { SearchResult } from "../search/search-tree.ts";
import { pathPermissions } from "./path-permissions.ts";
import { toPathError, type Workspace } from "./workspace.ts";
import { compileFileGlob, namesHidden } from "../jail/glob.ts";
import { toListedPath } from "../files/list-names.ts";
import { describeSkipped } from "./list-files.ts";

const modes = ["content", "files", "count"] as const;
const defaultLimit = 100;
const maxLineLength = 500;

/** The globs of a type of files. */
const types: Readonly<Record<string, readonly string[]>> = {
  c: ["**/*.c", "**/*.h"],
  cpp: ["**/*.{cc,cpp,cxx,hh,hpp,hxx,h}"],
  css: ["**/*.{css,scss,sass,less}"],
  go: ["**/*.go"],
  html: ["**/*.{html,htm}"],
  java: ["**/*.java"],
  js: ["**/*.{js,jsx,mjs,cjs}"],
  json: ["**/*.{json,jsonl,json5}"],
  md: ["**/*.{md,mdx,markdown}"],
  py: ["**/*.{py,pyi}"],
  rust: ["**/*.rs"],
  sh: ["**/*.{sh,bash,zsh}"],
  ts: ["**/*.{ts,tsx,mts,cts}"],
  yaml: ["**/*.{yaml,yml}"],
};

/** The tool `search`. */
export function searchTool(workspace: Workspace): Tool {
  return defineTool({
    name: "search",
    description:
      "Search the files of the workspace for a regular expression of JavaScript, line by line. The result ends with the number of files that were searched, and of those that were skipped.",
    input: {
      type: "object",
      properties: {
        pattern: { type: "string", minLength: 1, maxLength: 2_000 },
        path: { type: "string", description: "A file or a folder. Default: the workspace." },
        glob: {
          type: "string",
          minLength: 1,
          maxLength: 1_000,
          description:
            "Only these files, such as src/**/*.ts. Without a slash: names at any depth.",
        },
        type: { type: "string", enum: Object.keys(types), description: "Only files of this type." },
        mode: {
          type: "string",
          enum: modes,
          description:
            "content: lines; files: names; count: matches of each file. Default: content.",
        },
        before: {
          type: "integer",
          minimum: 0,
          maximum: 20,
          description: "Lines before each match. Default: 0.",
        },
        after: {
          type: "integer",
          minimum: 0,
          maximum: 20,
          description: "Lines after each match. Default: 0.",
        },
        ignore_case: { type: "boolean", description: "Default: false." },
        literal: { type: "boolean", description: "pattern is a text. Default: false." },
        multiline: {
          type: "boolean",
          description: "A match may include line ends. Default: false.",
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: 1_000,
          description: `Matches or files. Default: ${defaultLimit}.`,
        },
        offset: {
          type: "integer",
          minimum: 0,
          description: "Matches or files to leave out first. Default: 0.",
        },
        ignored: { type: "boolean", description: "Also what .gitignore names. Default: false." },
        hidden: {
          type: "boolean",
          description:
            "Also entries whose names begin with a dot. Default: only if glob names one.",
        },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, access: { filesystem: "read" } },
    preflight: ({ path = "." }) => pathPermissions(workspace, path, "read"),
    execute: async (args, ctx) => {
      const {
        pattern,
        path = ".",
        glob,
        type,
        mode = "content",
        limit = defaultLimit,
        offset = 0,
      } = args;
      const request = {
        pattern,
        path,
        globs: toGlobs(glob, type),
        mode,
        before: args.before ?? 0,
        after: args.after ?? 0,
        ignoreCase: args.ignore_case ?? false,
        literal: args.literal ?? false,
        multiline: args.multiline ?? false,
        hidden: args.hidden ?? (glob !== undefined && namesHidden(glob)),
        ignored: args.ignored ?? false,
        limit,
        offset,
        maxLineLength,
        permissions: ctx.permissions ?? [],
      };
      try {
        return describe(await workspace.searches.search(request, ctx.signal), {
          mode,
          offset,
          limit,
        });
      } catch (error) {
        throw toPathError(path, error);
      }
    },
  });
}

/** The globs of a search over paths relative to its folder. */
export function toGlobs(glob: string | undefined, type?: string): readonly string[] {
  const ofType = type === undefined ? [] : (types[type] ?? []);
  if (glob === undefined) return ofType;
  if (type !== undefined) throw new ToolError("invalid_arguments", "Give glob or type, not both.");
  // The thread that searches has no errors for a model.
  compileFileGlob(glob);
  return [glob];
}

interface Page {
  readonly mode: (typeof modes)[number];
  readonly offset: number;
  readonly limit: number;
}

function describe(result: SearchResult, { mode, offset, limit }: Page): ToolOutput {
  const { lines, files, totalMatches, totalFiles, searchedFiles, skipped } = result;
  const body =
    mode === "content"
      ? lines.map(
          ({ path, line, text, isMatch }) =>
            `${toListedPath(path)}${isMatch ? ":" : "-"}${line}${isMatch ? ":" : "-"}${text}`,
        )
      : files.map(([path, matches]) =>
          mode === "count" ? `${toListedPath(path)}:${matches}` : toListedPath(path),
        );
  const total = mode === "content" ? totalMatches : totalFiles;
  const more = Math.max(0, total - offset - limit);
  const notSearched = [
    ...describeSkipped(skipped),
    ...(skipped.binary > 0 ? [`${skipped.binary} binary`] : []),
    ...(skipped.tooLarge > 0 ? [`${skipped.tooLarge} too large`] : []),
    ...(skipped.links > 0 ? [`${skipped.links} links`] : []),
  ];
  const found =
    total === 0
      ? "no match"
      : `${count(totalMatches, "match", "matches")} in ${count(totalFiles, "file", "files")}`;
  const rest = more > 0 ? `; ${more} more, next offset ${offset + limit}` : "";
  const report = `searched ${count(searchedFiles, "file", "files")}${notSearched.length > 0 ? `; skipped ${notSearched.join(", ")}` : ""}`;
  return {
    content: [{ type: "text", text: [...body, `[${found}${rest}; ${report}]`].join("\n") }],
    value: {
      matches: totalMatches,
      files: totalFiles,
      searched: searchedFiles,
      skipped: { ...skipped },
    },
  };
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
