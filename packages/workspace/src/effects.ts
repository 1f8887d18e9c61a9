import type { ToolSource } from "@toolweave/core";
import { readingTools, runningTools, writingTools } from "./effects/effect-tools.ts";
import { openWorkspace, type WorkspaceOptions } from "./open-workspace.ts";

export type { WorkspaceOptions } from "./open-workspace.ts";

/**
 * Tools for programs that work in a folder, such as scripts: their values are whole and have no line numbers, and no file
 * has to be read before it is written. `exec_run`, `fs_read`, `fs_write`, `fs_edit`, `fs_stat`, `fs_list`, `fs_glob`,
 * `fs_find`, `fs_mkdir`, `fs_remove`, `fs_copy`, `fs_move` and `fs_diff`. They are meant as `localTools` of a tool.
 *
 * They ask for the same permissions as those of `workspaceTools`, and have the same limits: the tools for files reach
 * nothing outside of the folder, whatever a policy allows. A read-only workspace has only the tools that read; with
 * `bash: false` there is no `exec_run`. The option `applyPatch` has no effect.
 *
 * @throws ToolError `invalid_configuration` for a root that is no folder, or an invalid option.
 * @example
 * ```ts
 * const files = workspaceEffects({ root: "." });
 * const count = defineTool({
 *   name: "count_words",
 *   description: "Count the words of a file.",
 *   input: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
 *   execute: async ({ path }, { scope }) => {
 *     const { result } = await scope.execute({ id: "1", name: "fs_read", arguments: { path } });
 *     return JSON.stringify(result?.value).split(/\s+/).length;
 *   },
 * });
 * const tool: Tool = { ...count, localTools: files.tools() };
 * ```
 */
export function workspaceEffects(options: WorkspaceOptions): ToolSource {
  const { workspace, toSource } = openWorkspace("workspaceEffects", options);
  const { id = "workspace_effects", readOnly = false, bash = !readOnly } = options;
  const tools = [
    ...(bash ? runningTools : []),
    ...readingTools,
    ...(readOnly ? [] : writingTools),
  ].map((create) => create(workspace));
  return toSource(id, tools);
}
