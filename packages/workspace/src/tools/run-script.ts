import { statSync } from "node:fs";
import { randomBytes, randomUUID } from "node:crypto";
import { ToolError, type JsonObject, type PermissionRequest } from "@toolweave/core";
import { findExistingPaths } from "../jail/existing-paths.ts";
import { JailError } from "../jail/jail-error.ts";
import { areForFolder } from "../policy/script-permissions.ts";
import { ControlGroup } from "../processes/control-group.ts";
import { commandEnvironment } from "../processes/environment.ts";
import { describeLimits, limitScript } from "../processes/limits.ts";
import { runProcess, type ProcessEnd } from "../processes/run-process.ts";
import type { PathInfo } from "../jail/path-info.ts";
import type { PreparedCommand, Sandbox } from "../sandbox/sandbox.ts";
import { displayPath, withPath, type Workspace } from "./workspace.ts";

/** A script that is to be run. */
export interface ScriptRequest {
  readonly command: string;
  /** The positional parameters of the script: `$1` and so on. Default: none. */
  readonly args?: readonly string[];
  /** Variables beside those of the workspace. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: there is no input. */
  readonly input?: string;
  /** The folder, as the model has named it. */
  readonly cwd: string;
  /** Those that the call was given. */
  readonly permissions: readonly PermissionRequest[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Buffer) => void | Promise<void>;
  /** Receives the error output. Default: `onOutput` receives both, in the order in which they were written. */
  readonly onErrorOutput?: (chunk: Buffer) => void | Promise<void>;
}

/** How a script has ended. */
export interface ScriptEnd extends ProcessEnd {
  /** The folder in which it ran. */
  readonly cwd: string;
  /** The level of the sandbox. */
  readonly level: string;
  /** Sentences about what happened while it ran. */
  readonly notes: readonly string[];
  /** Which limits were enforced. */
  readonly limits: JsonObject;
}

/**
 * Runs a script of bash in the sandbox of the workspace.
 *
 * @throws ToolError (by rejecting) for a folder that cannot be used, or if bash cannot be started; the reason of the signal.
 */
export async function runScript(workspace: Workspace, request: ScriptRequest): Promise<ScriptEnd> {
  const { command, args = [], env = {}, cwd, onErrorOutput } = request;
  const folder = withPath(cwd, () => workspace.jail.locate(cwd, "read"));
  if (folder.kind !== "directory")
    throw new ToolError("execution_failed", `"${cwd}" is no folder.`);
  if (!areForFolder(request.permissions, folder.realPath)) {
    throw new JailError("replaced").toToolError(cwd);
  }
  const sandbox = await workspace.sandbox();
  // Not the id of the call, which a model chooses.
  const callId = randomUUID();
  const { limits } = workspace;
  const variables = { ...workspace.environment, ...env };
  const script = `${limitScript(limits)}; ${command}`;
  const prepared = await sandbox.prepare({
    argv: [
      ...(["bash", "--noprofile", "--norc", "-c"] as const),
      onErrorOutput === undefined ? `exec 2>&1; ${script}` : script,
      ...(args.length === 0 ? [] : ["bash", ...args]),
    ],
    cwd: folder.realPath,
    env: commandEnvironment(variables, callId, (path) => workspace.jail.contains(path)),
  });
  try {
    return await runPrepared(workspace, request, { sandbox, prepared, callId, folder });
  } finally {
    prepared.onEnd?.();
  }
}

/** A script in its sandbox. */
interface PreparedScript {
  readonly sandbox: Sandbox;
  readonly prepared: PreparedCommand;
  readonly callId: string;
  readonly folder: PathInfo;
}

async function runPrepared(
  workspace: Workspace,
  { timeoutMs, signal, onOutput, onErrorOutput, input }: ScriptRequest,
  { sandbox, prepared, callId, folder }: PreparedScript,
): Promise<ScriptEnd> {
  const { limits } = workspace;
  const created = watchProtected(workspace, sandbox);
  const group = ControlGroup.create(limits);
  const running = runProcess({
    ...prepared,
    callId,
    timeoutMs,
    group,
    signal: AbortSignal.any([signal, workspace.closing]),
    onOutput,
    ...(onErrorOutput === undefined ? {} : { onErrorOutput }),
    ...(input === undefined ? {} : { input }),
  });
  try {
    const end = await running;
    return {
      ...end,
      killed: prepared.hasHelpers === true ? 0 : end.killed,
      cwd: displayPath(folder),
      level: sandbox.level,
      limits: describeLimits(limits, group),
      notes: [
        ...(prepared.notes?.() ?? []),
        ...created(),
        ...(end.exitCode === 0 ? [] : explainOwner(workspace, sandbox)),
      ],
    };
  } catch (error) {
    created();
    throw startError(error);
  }
}

/**
 * Protected files that do not exist cannot be guarded by a sandbox. Returns a function that gives those that were created
 * meanwhile another name, so that no program obeys them, and says so.
 */
function watchProtected({ jail, protectedWrites }: Workspace, sandbox: Sandbox): () => string[] {
  if (!sandbox.guardsProtectedFiles || protectedWrites === "ask") return () => [];
  const before = findExistingPaths(jail.roots, jail.matcher);
  const known = new Set(before.protectedPaths);
  return () => {
    const after = findExistingPaths(jail.roots, jail.matcher);
    const created = after.protectedPaths.filter((path) => !known.has(path));
    const notes = created.map((path) => {
      const name = `${path.slice(path.lastIndexOf("/") + 1)}.refused-${randomBytes(3).toString("hex")}`;
      const displayed = jail.relativePath(path);
      try {
        jail.rename(path, name);
        return `${displayed} is protected, and was renamed to ${name}`;
      } catch {
        return `${displayed} is protected, and was created all the same`;
      }
    });
    const isComplete = before.isComplete && after.isComplete;
    return isComplete ? notes : [...notes, incompleteNote];
  };
}

const incompleteNote =
  "not all files that are protected or have credentials were guarded: the workspace has more than 2,000 folders, or names that are not UTF-8";

/** The levels in which the superuser has no capabilities. */
const unprivileged: ReadonlySet<string> = new Set(["bwrap", "landlock"]);

/** A command of the superuser in a sandbox has its name, and not its right to write the files of other users. */
function explainOwner({ jail }: Workspace, { level }: Sandbox): readonly string[] {
  if (process.getuid?.() !== 0 || !unprivileged.has(level)) return [];
  const foreign = jail.roots.find(({ path, access }) => {
    const { uid, mode } = statSync(path);
    return access === "write" && uid !== 0 && (mode & 0o002) === 0;
  });
  if (foreign === undefined) return [];
  const { uid } = statSync(foreign.path);
  return [
    `commands cannot write in ${jail.relativePath(foreign.path) || "the workspace"}, which belongs to the user ${uid}: the sandbox takes the privileges of root away. Run the host as that user`,
  ];
}

function startError(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall?.startsWith("spawn") === true
    ? new ToolError(
        "unavailable",
        `bash could not be started (${code}). Install it, or leave the tool out.`,
        { cause: error },
      )
    : error;
}
