import { dirname } from "node:path";
import { PassThrough, Writable } from "node:stream";
import type { CliIo, TerminalOutput } from "../../src/process/cli-io.ts";
import { tempStore } from "./temp-file.ts";

/** Streams in memory, and the data written to them. */
export interface CapturedIo {
  readonly io: CliIo;
  readonly stdin: PassThrough & { isTTY?: boolean };
  readonly interrupt: AbortController;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when stderr contains `text`, `times` times. */
  readonly said: (text: string, times?: number) => Promise<void>;
}

/** The streams of a captured process. Default: none is a terminal. */
export interface CaptureOptions {
  readonly terminal?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** Default: a separate store that does not exist yet. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Makes streams for `runCli`. */
export function captureIo(options: CaptureOptions = {}): CapturedIo {
  const { terminal = false, columns, rows } = options;
  const state = tempStore();
  // The trusted files of a test are its own.
  const env = { TOOLWEAVE_STORE: state, XDG_CONFIG_HOME: dirname(state), ...options.env };
  const stdout = capture(terminal, { columns, rows });
  const stderr = capture(terminal, { columns, rows });
  const stdin: CapturedIo["stdin"] = new PassThrough();
  if (terminal) stdin.isTTY = true;
  const interrupt = new AbortController();
  return {
    io: { stdin, stdout: stdout.stream, stderr: stderr.stream, env, signal: interrupt.signal },
    stdin,
    interrupt,
    stdout: stdout.text,
    stderr: stderr.text,
    said: stderr.holds,
  };
}

function capture(
  isTTY: boolean,
  size: { readonly columns: number | undefined; readonly rows: number | undefined },
): { stream: TerminalOutput; text: () => string; holds: CapturedIo["said"] } {
  let written = "";
  let onWrite = (): void => {};
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      written += chunk;
      onWrite();
      done();
    },
  });
  if (isTTY) Object.assign(stream, { isTTY, ...size });
  return {
    stream,
    text: () => written,
    holds: (text, times = 1) =>
      new Promise((resolve) => {
        onWrite = () => written.split(text).length > times && resolve();
        onWrite();
      }),
  };
}
