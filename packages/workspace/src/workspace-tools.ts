import { ToolError, type Tool, type ToolSource } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import { PathMutex } from "./files/path-mutex.ts";
import { existingPaths } from "./jail/existing-paths.ts";
import { Jail } from "./jail/jail.ts";
import {
  protectedPaths,
  secretPaths,
  type PathRules,
  type WorkspaceRoot,
} from "./jail/path-rules.ts";
import { isRefusedVariable } from "./processes/environment.ts";
import { chooseSandbox, type ChosenSandbox, type SandboxChoice } from "./sandbox/choose-sandbox.ts";
import { SearchThread } from "./search/search-thread.ts";
import { bashTool } from "./tools/bash.ts";
import { editFileTool } from "./tools/edit-file.ts";
import { listFilesTool } from "./tools/list-files.ts";
import { readFileTool } from "./tools/read-file.ts";
import { searchTool } from "./tools/search.ts";
import { SeenByRun, type Workspace } from "./tools/workspace.ts";
import { writeFileTool } from "./tools/write-file.ts";

/** Options of `workspaceTools`. */
export interface WorkspaceOptions extends PathRules {
  /** The folder that tools may read and write. Relative paths of calls begin there. */
  readonly root: string;
  /** True: nothing is written, and there are only tools that read. Default: false. */
  readonly readOnly?: boolean;
  /** Further folders. Calls name them by absolute paths. */
  readonly otherRoots?: readonly WorkspaceRoot[];
  /** Whether protected files may be written after approval, or never. Default: `"deny"`. */
  readonly protectedWrites?: "ask" | "deny";
  /** The tool `bash`. False: there is none. Default: true, unless the workspace is read-only. */
  readonly bash?: boolean;
  /**
   * How commands are isolated. `auto`: by bubblewrap, if it holds on this machine, and otherwise not at all; `required`:
   * no command runs without a sandbox. Default: `auto`.
   */
  readonly sandbox?: SandboxChoice;
  /** Variables for commands, beside harmless ones of this process. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders outside of the roots that commands in a sandbox can read: tools that are not below `/usr`. */
  readonly readPaths?: readonly string[];
  /** The id of the source. Default: `workspace`. */
  readonly id?: string;
}

const optionNames: readonly string[] = [
  "root",
  "readOnly",
  "otherRoots",
  "protectedWrites",
  "bash",
  "sandbox",
  "env",
  "readPaths",
  "id",
  "deny",
  "ask",
  "protected",
  "secrets",
  "hardLinks",
  "maxPathLength",
] satisfies readonly (keyof WorkspaceOptions)[];

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
  checkOptions("workspaceTools", options, optionNames);
  const {
    root,
    readOnly = false,
    otherRoots = [],
    protectedWrites = "deny",
    id = "workspace",
  } = options;
  const { bash = !readOnly, sandbox = "auto", env = {}, readPaths = [] } = options;
  if (typeof root !== "string") {
    throw new ToolError("invalid_configuration", 'workspaceTools: root is missing: { root: "." }.');
  }
  const roots: readonly WorkspaceRoot[] = [
    { path: root, access: readOnly ? "read" : "write" },
    ...otherRoots,
  ];
  const rules = toRules(options);
  const jail = new Jail(roots, rules);
  const searches = new SearchThread({ roots, rules });
  const seen = new SeenByRun();
  checkEnvironment(env);
  const closing = new AbortController();
  let chosen: Promise<ChosenSandbox> | undefined;
  const workspace: Workspace = {
    jail,
    writes: new PathMutex(),
    searches,
    protectedWrites,
    sandbox: async () =>
      (await (chosen ??= chooseSandbox(sandbox, () => viewOf(jail, rules, readPaths)))).sandbox,
    environment: env,
    closing: closing.signal,
    seenBy: (runId) => seen.get(runId),
  };
  const tools: readonly Tool[] = [
    ...(bash ? [bashTool(workspace)] : []),
    listFilesTool(workspace),
    readFileTool(workspace),
    searchTool(workspace),
    ...(readOnly ? [] : [editFileTool(workspace), writeFileTool(workspace)]),
  ];
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    closing.abort(new ToolError("unavailable", "The workspace was closed while the call ran."));
    jail.close();
    await searches.close();
    const used = await chosen?.catch(() => undefined);
    used?.sandbox.close?.();
  };
  return {
    id,
    ready: Promise.resolve(),
    problems: [],
    trustAnnotations: true,
    tools: () => (isClosed ? [] : tools),
    onChange: () => () => {},
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The view of commands in a sandbox: the files are looked for again for each, since they come and go. */
function viewOf(
  jail: Jail,
  rules: PathRules,
  readPaths: readonly string[],
): Parameters<typeof chooseSandbox>[1] extends () => infer View ? View : never {
  const { roots } = jail;
  return {
    roots,
    protectedPaths: existingPaths(roots, rules.protected ?? protectedPaths),
    hiddenPaths: existingPaths(roots, [...(rules.secrets ?? secretPaths), ...(rules.deny ?? [])]),
    readPaths,
  };
}

function checkEnvironment(env: Readonly<Record<string, string>>): void {
  const refused = Object.keys(env).find(isRefusedVariable);
  if (refused === undefined) return;
  throw new ToolError(
    "invalid_configuration",
    `workspaceTools: env.${refused} makes programs run other code, or use credentials of this process; leave it out.`,
  );
}

function toRules(options: WorkspaceOptions): PathRules {
  const { deny, ask, protected: protectedGlobs, secrets, hardLinks, maxPathLength } = options;
  return {
    ...(deny === undefined ? {} : { deny }),
    ...(ask === undefined ? {} : { ask }),
    ...(protectedGlobs === undefined ? {} : { protected: protectedGlobs }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(hardLinks === undefined ? {} : { hardLinks }),
    ...(maxPathLength === undefined ? {} : { maxPathLength }),
  };
}
