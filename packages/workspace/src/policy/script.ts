/** A path in a command, as it is written there. */
export interface PathUse {
  readonly path: string;
  readonly access: "read" | "write";
  /** The folder that relative paths begin at, relative to that of the script; undefined: unknown. */
  readonly cwd: string | undefined;
  /**
   * `tree`: also all that is below it; `visible`: but hidden files; `names`: the files beside it whose names begin with
   * its own. Default: the file alone.
   */
  readonly extent?: "tree" | "visible" | "names";
  /** The program may use it, and it may be no path: it counts only where it is of importance. */
  readonly isPossible?: boolean;
}

/** A command whose words are all known: what a shell would run. */
export interface SimpleCommand {
  /** The program and its arguments, without quotes and escapes. */
  readonly argv: readonly string[];
  /** The files of its redirections. */
  readonly redirects: readonly PathUse[];
  /** The folder that it runs in, relative to that of the script; undefined: unknown. */
  readonly cwd: string | undefined;
  /** The place in the script: the first character, and the one after the last. */
  readonly span: readonly [start: number, end: number];
}

/** A part of a script that is not known before it runs. */
export interface UnknownPart {
  /** The kind of the part, such as `command substitution`. */
  readonly reason: string;
  readonly span: readonly [start: number, end: number];
}

/** A script, as far as it can be read. */
export interface ReadScript {
  /** The commands that could be read, in order. A script with unknown parts can run others. */
  readonly commands: readonly SimpleCommand[];
  /** Empty: every command is known. */
  readonly unknown: readonly UnknownPart[];
}
