/** How far commands are isolated. `none`: not at all; `bwrap`: in namespaces of their own, by bubblewrap. */
export type SandboxLevel = "none" | "bwrap";

/** A command for a sandbox. */
export interface SandboxedCommand {
  readonly argv: readonly [program: string, ...args: string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A command as it is spawned. */
interface PreparedCommand extends SandboxedCommand {
  /** Descriptors that it has from 3 on. */
  readonly descriptors: readonly number[];
  /** Closes the descriptors of this process. Called when the command was spawned. */
  close(): void;
}

/** Isolates commands. */
export interface Sandbox {
  readonly level: SandboxLevel;
  /** Commands in it reach no network. */
  readonly hidesNetwork: boolean;
  prepare(command: SandboxedCommand): PreparedCommand;
}

/** Runs commands as they are. */
export const noSandbox: Sandbox = {
  level: "none",
  hidesNetwork: false,
  prepare: (command) => ({ ...command, descriptors: [], close: () => {} }),
};
