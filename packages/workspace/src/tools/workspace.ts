import type { JsonValue, ToolContext, ToolOutput } from "@toolweave/core";
import { SeenFiles } from "../files/seen-files.ts";
import { JailError } from "../jail/jail-error.ts";
import type { Jail } from "../jail/jail.ts";
import type { PathInfo } from "../jail/path-info.ts";
import type { BackgroundCommands, CommandOwner } from "../processes/background-commands.ts";
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

/** The owner of a command in the background. */
export function getCommandOwner(owner: CallOwner): CommandOwner {
  return { session: getOwner(owner), caller: JSON.stringify(owner.caller?.id ?? null) };
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

/** The path for a person or a model: `.` for the root. */
export function displayPath({ path }: Pick<PathInfo, "path">): string {
  return path === "" ? "." : path;
}

/** The result of a tool: a text for a model, and a value for programs. */
export function output(text: string, value: JsonValue): ToolOutput {
  return { content: [{ type: "text", text }], value };
}
