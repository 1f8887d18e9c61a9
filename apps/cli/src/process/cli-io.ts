import type { Readable, Writable } from "node:stream";

/** A stream that may be a terminal. */
export interface TerminalOutput extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** A stream that a person may be typing into. */
interface TerminalInput extends Readable {
  readonly isTTY?: boolean;
}

/** Everything that the command line takes from its process. */
export interface CliIo {
  readonly stdin: TerminalInput;
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Fires on Ctrl-C, and on SIGTERM. */
  readonly signal: AbortSignal;
}
