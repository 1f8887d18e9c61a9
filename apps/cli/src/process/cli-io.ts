import type { Readable, Writable } from "node:stream";
import { createRequire } from "node:module";

/** A stream that may be a terminal. */
export interface TerminalOutput extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
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

/** Ctrl-C. */
export class Interrupt extends Error {
  override readonly name: string = "Interrupt";
}

/**
 * Waits for `pending`, but not beyond Ctrl-C.
 *
 * @throws Interrupt
 */
export async function rejectOnInterrupt<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw new Interrupt();
  let stop = (): void => {};
  const interrupted = new Promise<never>((_, reject) => {
    stop = () => reject(new Interrupt());
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([pending, interrupted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The version of this package. */
export function version(): string {
  // By name: where this file lies differs between the sources and a build.
  const manifest = createRequire(import.meta.url)("toolweave/package.json") as { version: string };
  return manifest.version;
}
