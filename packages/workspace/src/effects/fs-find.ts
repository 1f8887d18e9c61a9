import { defineTool, type Tool } from "@toolweave/core";
import { toGlobs } from "../tools/search.ts";
import { locatePermitted } from "../tools/open-paths.ts";
import { pathPermissions } from "../tools/path-permissions.ts";
import { toPathError, type Workspace } from "../tools/workspace.ts";
import { count, countUnnamed, output, toPathIn } from "./effect-output.ts";

const defaultMax = 1_000;
const maxMatches = 10_000;
const maxLineLength = 2_000;

/** The tool `fs_find`: the lines that match a pattern. */
export function fsFindTool(workspace: Workspace): Tool {
  return defineTool({
    name: "fs_find",
    description:
      "The lines of files that match a regular expression of JavaScript: { matches: [{ path, line, text }], truncated }. Files with credentials and binary files are left out.",
    input: {
      type: "object",
      properties: {
        pattern: { type: "string", minLength: 1, maxLength: 2_000 },
        path: { type: "string", description: "A file or a folder. Default: the workspace." },
        glob: { type: "string", minLength: 1, maxLength: 1_000, description: "Only these files." },
        max: {
          type: "integer",
          minimum: 1,
          maximum: maxMatches,
          description: `Matches. Default: ${defaultMax}.`,
        },
        literal: { type: "boolean", description: "pattern is a text. Default: false." },
        ignored: {
          type: "boolean",
          description: "Also what .gitignore names, .git and node_modules. Default: false.",
        },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, access: { filesystem: "read" } },
    preflight: ({ path = "." }) => pathPermissions(workspace, path, "read"),
    execute: async (
      { pattern, path = ".", glob, max = defaultMax, literal = false, ignored = false },
      ctx,
    ) => {
      const info = locatePermitted(workspace, ctx, path, "read");
      const request = {
        pattern,
        path,
        globs: toGlobs(glob),
        mode: "content",
        before: 0,
        after: 0,
        ignoreCase: false,
        literal,
        multiline: false,
        hidden: true,
        ignored,
        limit: max,
        offset: 0,
        maxLineLength,
        permissions: ctx.permissions ?? [],
      } as const;
      try {
        const { lines, totalMatches, skipped } = await workspace.searches.search(
          request,
          ctx.signal,
        );
        const matches = lines.map(({ path: at, line, text }) => ({
          path: toPathIn(workspace, info, at),
          line,
          text,
        }));
        const truncated = totalMatches > max;
        const text = `${count(totalMatches, "line")} matched`;
        return output(text, { matches, truncated, ...countUnnamed(skipped) });
      } catch (error) {
        throw toPathError(path, error);
      }
    },
  });
}
