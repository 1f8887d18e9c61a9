import type { ToolSource } from "@toolweave/core";
import { openWorkspace, type WorkspaceOptions } from "./open-workspace.ts";
import { applyPatchTool } from "./tools/apply-patch.ts";
import { bashKillTool, bashOutputTool } from "./tools/background-tools.ts";
import { bashTool } from "./tools/bash.ts";
import { editFileTool } from "./tools/edit-file.ts";
import { listFilesTool } from "./tools/list-files.ts";
import { readFileTool } from "./tools/read-file.ts";
import { searchTool } from "./tools/search.ts";
import { writeFileTool } from "./tools/write-file.ts";

/**
 * The tools for the files of a folder: `read_file`, `list_files`, `search`, and, unless it is read-only, `write_file`,
 * `edit_file` and `bash`. The tools for files read and write nothing outside of the folder, whatever a
 * policy allows; commands do so only if they run without a sandbox.
 *
 * @throws ToolError `invalid_configuration` for a root that is no folder, or an invalid option.
 * @example
 * ```ts
 * const registry = new ToolRegistry([workspaceTools({ root: "." })]);
 * ```
 */
export function workspaceTools(options: WorkspaceOptions): ToolSource {
  const { workspace, toSource } = openWorkspace("workspaceTools", options);
  const { id = "workspace", readOnly = false, bash = !readOnly, applyPatch = false } = options;
  return toSource(id, [
    ...(bash ? [bashTool(workspace), bashOutputTool(workspace), bashKillTool(workspace)] : []),
    listFilesTool(workspace),
    readFileTool(workspace),
    searchTool(workspace),
    ...(readOnly ? [] : [editFileTool(workspace), writeFileTool(workspace)]),
    ...(applyPatch && !readOnly ? [applyPatchTool(workspace)] : []),
  ]);
}
