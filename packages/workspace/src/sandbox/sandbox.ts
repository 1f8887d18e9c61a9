import type { Duplex } from "node:stream";
import type { ExistingPaths } from "../jail/existing-paths.ts";
import type { WorkspaceRoot } from "../jail/path-rules.ts";

/** The part of the file system that commands in a sandbox see. */
export interface SandboxView extends ExistingPaths {
  readonly roots: readonly WorkspaceRoot[];
  /** Folders outside of the roots that can be read: tools that are not below `/usr`. */
  readonly readPaths: readonly string[];
}

/** A command for a sandbox. */
export interface SandboxedCommand {
  readonly argv: readonly [program: string, ...args: string[]];
  /** The folder to run in: an absolute path in the workspace. */
  readonly cwd: string;
  /** All variables of the command. Nothing of this process's environment may be added. */
  readonly env: Readonly<Record<string, string>>;
}

/** A command as it is spawned. */
export interface PreparedCommand extends SandboxedCommand {
  /** Descriptors that it has from 3 on; `pipe`: a new pipe between it and this process. */
  readonly descriptors: readonly (number | "pipe")[];
  /** Receives the pipes, in their order, when the command was spawned. */
  readonly onSpawn?: (pipes: readonly Duplex[]) => void;
  /** Sentences about what happened while the command ran, for the model. Called after it has ended. */
  readonly notes?: () => readonly string[];
  /**
   * The sandbox has processes of its own beside the command. Those that are left are killed as any other, and no result
   * counts them. Default: false.
   */
  readonly hasHelpers?: boolean;
  /** Removes what belongs to this command alone. Called once, after it has ended, or could not be spawned. */
  readonly onEnd?: () => void;
  /** Closes the descriptors of this process. Called when the command was spawned, or could not be. */
  close(): void;
}

/** Isolates commands. A host can implement it, to run them in a container or on another machine. */
export interface Sandbox {
  /** `none`, `landlock`, `bwrap`, or the name of a host's own. Results show it as `value.sandbox`. */
  readonly level: string;
  /** Commands read, change and reach nothing outside of the workspace, but what its options name. */
  readonly isIsolated: boolean;
  /** Commands reach no network, but hosts that the workspace allows. */
  readonly hidesNetwork: boolean;
  /** Commands cannot change files of the workspace that its rules protect. */
  readonly guardsProtectedFiles: boolean;
  /** Turns a command into the one that is spawned on this machine. */
  prepare(command: SandboxedCommand): PreparedCommand | Promise<PreparedCommand>;
  /** Removes what belongs to the sandbox. Called when the workspace is closed. */
  close?(): void | Promise<void>;
}

/** Runs commands as they are. */
export const noSandbox: Sandbox = {
  level: "none",
  isIsolated: false,
  hidesNetwork: false,
  guardsProtectedFiles: false,
  prepare: (command) => ({ ...command, descriptors: [], close: () => {} }),
};
