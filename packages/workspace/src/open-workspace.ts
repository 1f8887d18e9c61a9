import { resolve } from "node:path";
import { ToolError, type Tool, type ToolSource } from "@toolweave/core";
import { checkOptions, checks, type OptionChecks } from "@toolweave/core/adapter";
import { AllowedHosts, networkChecks, type NetworkRules } from "@toolweave/http";
import { PathMutex } from "./files/path-mutex.ts";
import { findExistingPaths } from "./jail/existing-paths.ts";
import { Jail } from "./jail/jail.ts";
import {
  pathRuleChecks,
  rootChecks,
  type PathRules,
  type WorkspaceRoot,
} from "./jail/path-rules.ts";
import { BackgroundCommands } from "./processes/background-commands.ts";
import { isRefusedVariable } from "./processes/environment.ts";
import { limitChecks, withDefaults, type ProcessLimits } from "./processes/limits.ts";
import {
  chooseSandbox,
  sandboxCheck,
  type ChosenSandbox,
  type SandboxChoice,
} from "./sandbox/choose-sandbox.ts";
import { SearchThread } from "./search/search-thread.ts";
import { getOwner, SeenByOwner, type Workspace } from "./tools/workspace.ts";

/** Options of `workspaceTools` and `workspaceEffects`. */
export interface WorkspaceOptions extends PathRules {
  /** The folder that tools may read and write. Relative paths of calls begin there. */
  readonly root: string;
  /** True: nothing is written, and there are only tools that read. Default: false. */
  readonly readOnly?: boolean;
  /** Further folders. Calls name them by absolute paths. */
  readonly otherRoots?: readonly WorkspaceRoot[];
  /** Whether protected files may be written after approval, or never. Default: `"deny"`. */
  readonly protectedWrites?: "ask" | "deny";
  /** The tools that run commands. False: there are none. Default: true, unless the workspace is read-only. */
  readonly bash?: boolean;
  /** The tool `apply_patch` of `workspaceTools`, for models that write patches in the format of Codex. Default: false. */
  readonly applyPatch?: boolean;
  /**
   * How commands are isolated. `auto`: by the strongest level that holds on this machine: `bwrap`, `landlock`, or not at
   * all; `required`: the same, but no command runs without isolation; a level: that alone; or a sandbox of the host.
   * Default: `auto`.
   */
  readonly sandbox?: SandboxChoice;
  /** Hosts that commands in a sandbox of bubblewrap may connect to. Default: none. */
  readonly network?: NetworkRules;
  /** The resources that one command and everything that it starts may use. */
  readonly limits?: ProcessLimits;
  /** Variables for commands, beside harmless ones of this process. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders outside of the roots that commands in a sandbox can read: tools that are not below `/usr`. */
  readonly readPaths?: readonly string[];
  /** The id of the source. Default: `workspace`; of `workspaceEffects`, `workspace_effects`. */
  readonly id?: string;
}

const optionChecks: OptionChecks<WorkspaceOptions> = {
  root: checks.required(checks.filledText),
  readOnly: checks.flag,
  otherRoots: checks.list(checks.nested(rootChecks)),
  protectedWrites: checks.oneOf("ask", "deny"),
  bash: checks.flag,
  applyPatch: checks.flag,
  sandbox: sandboxCheck,
  network: checks.nested(networkChecks),
  limits: checks.nested(limitChecks),
  env: checks.record(checks.anyText),
  readPaths: checks.list(checks.filledText),
  id: checks.filledText,
  ...pathRuleChecks,
};

/** @throws ToolError `invalid_configuration` for a glob that begins with the path of a root: it matches nothing. */
function checkRelativeGlobs(
  caller: string,
  options: WorkspaceOptions,
  roots: readonly WorkspaceRoot[],
): void {
  for (const name of ["deny", "ask", "secrets", "protected"] as const) {
    for (const [index, glob] of (options[name] ?? []).entries()) {
      const root = roots
        .map(({ path }) => resolve(path))
        .find((path) => `${glob}/`.startsWith(`${path}/`));
      if (root === undefined || root === "/") continue;
      throw new ToolError(
        "invalid_configuration",
        `${caller}: ${name}[${index}] is "${glob}"; globs are relative to a root: use "${glob.slice(root.length + 1) || "**"}".`,
      );
    }
  }
}

/** A workspace that is open. */
export interface OpenWorkspace {
  readonly workspace: Workspace;
  /** The source of its tools. Closing it ends the commands and closes the workspace. */
  toSource(id: string, tools: readonly Tool[]): ToolSource;
}

/**
 * Opens the workspace that options describe.
 *
 * @param caller the function whose options they are, for the texts of errors.
 * @throws ToolError `invalid_configuration` for a root that is no folder, or an invalid option.
 */
export function openWorkspace(caller: string, options: WorkspaceOptions): OpenWorkspace {
  checkOptions(caller, options, optionChecks);
  const { root, readOnly = false, otherRoots = [], protectedWrites = "deny" } = options;
  const { sandbox = "auto", network, limits, env = {}, readPaths = [] } = options;
  checkEnvironment(caller, env);
  // The sandbox that uses them is made with the first command.
  if (network !== undefined) void new AllowedHosts(`${caller}: network`, network);
  const roots: readonly WorkspaceRoot[] = [
    { path: root, access: readOnly ? "read" : "write" },
    ...otherRoots,
  ];
  const rules = toRules(options);
  const jail = new Jail(roots, rules);
  checkRelativeGlobs(caller, options, [...roots, ...jail.roots]);
  const searches = new SearchThread({ roots, rules });
  const seen = new SeenByOwner();
  const closing = new AbortController();
  const background = new BackgroundCommands();
  let chosen: Promise<ChosenSandbox> | undefined;
  const workspace: Workspace = {
    jail,
    writes: new PathMutex(),
    searches,
    protectedWrites,
    sandbox: async () =>
      (
        await (chosen ??= chooseSandbox(sandbox, {
          view: () => ({
            roots: jail.roots,
            ...findExistingPaths(jail.roots, jail.matcher),
            readPaths,
          }),
          network,
        }))
      ).sandbox,
    environment: env,
    background,
    limits: withDefaults(limits),
    closing: closing.signal,
    seenBy: (owner) => seen.get(getOwner(owner)),
  };
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    closing.abort(new ToolError("unavailable", "The workspace was closed while the call ran."));
    await background.close();
    jail.close();
    await searches.close();
    const used = await chosen?.catch(() => undefined);
    await used?.sandbox.close?.();
  };
  return {
    workspace,
    toSource: (id, tools) => ({
      id,
      ready: Promise.resolve(),
      problems: [],
      trustAnnotations: true,
      tools: () => (isClosed ? [] : tools),
      onChange: () => () => {},
      close,
      [Symbol.asyncDispose]: close,
    }),
  };
}

function checkEnvironment(caller: string, env: Readonly<Record<string, string>>): void {
  const refused = Object.keys(env).find(isRefusedVariable);
  if (refused === undefined) return;
  throw new ToolError(
    "invalid_configuration",
    `${caller}: env.${refused} makes programs run other code, or use credentials of this process; leave it out.`,
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
