import {
  displayLine,
  displayProse,
  ToolError,
  type JsonValue,
  type PermissionRequest,
  type ToolContext,
  type ToolOutput,
} from "@toolweave/core";
import { SeenFiles } from "../files/seen-files.ts";
import { JailError } from "../jail/jail-error.ts";
import type { Jail, PathInfo, PathUse, WritePlace } from "../jail/jail.ts";
import type { BackgroundCommands } from "../processes/background-commands.ts";
import type { ProcessLimits } from "../processes/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { SearchThread } from "../search/search-thread.ts";
import type { PathMutex } from "../files/path-mutex.ts";

/** The state that the tools of one workspace share. */
export interface Workspace {
  readonly jail: Jail;
  /** Lets one change of a file happen at a time. */
  readonly writes: PathMutex;
  readonly searches: SearchThread;
  /** Whether a tool may write protected files after approval. */
  readonly protectedWrites: "ask" | "deny";
  /** The sandbox of commands, once it is known which one holds on this machine. */
  sandbox(): Promise<Sandbox>;
  readonly background: BackgroundCommands;
  /** The resources that a command may use. */
  readonly limits: Required<ProcessLimits>;
  /** Fires when the source is closed: commands end then. */
  readonly closing: AbortSignal;
  /** Variables that commands have beside the usual ones. */
  readonly environment: Readonly<Record<string, string>>;
  /** The files that the model has seen for whom a call is made. */
  seenBy(owner: CallOwner): SeenFiles;
}

/** Owners whose files are remembered. */
const maxOwners = 100;

/** Remembers the files that each owner has seen. */
export class SeenByOwner {
  readonly #owners = new Map<string, SeenFiles>();

  get(owner: string): SeenFiles {
    const seen = this.#owners.get(owner) ?? new SeenFiles();
    this.#owners.delete(owner);
    this.#owners.set(owner, seen);
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > maxOwners && oldest !== undefined) this.#owners.delete(oldest);
    return seen;
  }
}

/**
 * Those whose calls belong together: one session and caller. Over MCP each call is a run of its own, so that the run says
 * nothing.
 */
export function getOwner({ sessionId, caller }: CallOwner): string {
  return JSON.stringify([sessionId ?? null, caller?.id ?? null]);
}

/** The part of a call's context that says for whom it is. */
export type CallOwner = Pick<ToolContext, "sessionId" | "caller">;

/** Calls `use` and turns a fault of the path into the error of a tool. */
export function withPath<Result>(path: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    throw toPathError(path, error);
  }
}

/** The error of a tool for a path that cannot be used; other errors are returned as they are. */
export function toPathError(path: string, error: unknown): unknown {
  return error instanceof JailError ? error.toToolError(path) : error;
}

/** Opens the place of a file, and calls `change` with it after all earlier changes of the file have ended. */
export async function changeFile<Result>(
  { jail, writes }: Workspace,
  path: string,
  change: (place: WritePlace) => Promise<Result>,
  use: Exclude<PathUse, "read"> = "write",
): Promise<Result> {
  const { realPath } = withPath(path, () => jail.locate(path, use));
  return writes.run(realPath, async () => {
    const place = withPath(path, () => jail.openForWriting(path, use));
    try {
      return await change(place);
    } catch (error) {
      throw toPathError(path, error);
    } finally {
      place.close();
    }
  });
}

/** The permissions that an access to a path needs. */
export function pathPermissions(
  workspace: Workspace,
  path: string,
  use: PathUse,
): readonly PermissionRequest[] {
  const info = withPath(path, () => workspace.jail.locate(path, use));
  return [
    {
      kind: use === "read" ? "fs.read" : "fs.write",
      target: displayLine(info.realPath),
      summary: toSummary(info, use),
      details: { place: "inside" },
    },
    ...specialPermissions(workspace, path, info, use),
  ];
}

/** The part of a place by which the rules of a workspace decide. */
export type RuledPath = Pick<PathInfo, "path" | "realPath" | "classes" | "asksForHardLink">;

/**
 * The permissions for which the rules of the workspace ask beside `fs.read` and `fs.write`.
 *
 * @param path as the caller has named it.
 * @throws ToolError `permission_denied` for a protected file that is never written.
 */
export function specialPermissions(
  { protectedWrites }: Workspace,
  path: string,
  info: RuledPath,
  use: PathUse,
): readonly PermissionRequest[] {
  return reasonsToAsk(info, use).map((reason) => {
    if (reason === protectedReason && protectedWrites === "deny") throw protectedError(path);
    return {
      kind: reason.kind,
      target: displayLine(info.realPath),
      summary: `${toSummary(info, use)}, ${reason.text}`,
    };
  });
}

interface AskReason {
  readonly kind: string;
  readonly text: string;
}

const secretReason: AskReason = {
  kind: "custom.secret_file",
  text: "which may contain credentials",
};
const protectedReason: AskReason = {
  kind: "custom.protected_file",
  text: "whose content other programs run or obey",
};
const linkReason: AskReason = {
  kind: "custom.linked_file",
  text: "which has other hard links, perhaps outside of the workspace",
};
const ruleReason: AskReason = {
  kind: "custom.marked_file",
  text: "for which the rules of the workspace ask",
};

function reasonsToAsk({ classes, asksForHardLink }: RuledPath, use: PathUse): readonly AskReason[] {
  return [
    ...(classes.includes("secret") ? [secretReason] : []),
    ...(classes.includes("protected") && use !== "read" ? [protectedReason] : []),
    ...(asksForHardLink ? [linkReason] : []),
    ...(classes.includes("ask") ? [ruleReason] : []),
  ];
}

function protectedError(path: string): ToolError {
  return new ToolError(
    "permission_denied",
    `"${path.slice(0, 300)}" is protected, since other programs run or obey what it contains. Ask the user to change it.`,
  );
}

const maxSummary = 200;

function toSummary(info: RuledPath, use: PathUse): string {
  return displayProse(`${toVerb(use)} ${displayPath(info)}`, maxSummary);
}

/** The same whatever the file is, and whether it exists: an approval holds for the same permission again. */
function toVerb(use: PathUse): string {
  return use === "write" ? "Write" : use === "remove" ? "Remove" : "Read";
}

/** The path for a person or a model: `.` for the root. */
export function displayPath({ path }: Pick<PathInfo, "path">): string {
  return path === "" ? "." : path;
}

/** The result of a tool: a text for a model, and a value for programs. */
export function output(text: string, value: JsonValue): ToolOutput {
  return { content: [{ type: "text", text }], value };
}
