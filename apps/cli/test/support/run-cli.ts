import { dirname } from "node:path";
import { runCli } from "../../src/program.ts";
import { captureIo, type CaptureOptions } from "./captured-io.ts";

/** The result of a command. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs commands with the same environment, and so the same store. */
export type RunCommand = (
  argv: readonly string[],
  options?: CaptureOptions & { readonly stdin?: string },
) => Promise<Ended>;

/** Runs a command in this process to its end. */
export const runCommand: RunCommand = async (argv, options = {}) => {
  const { io, stdin, stdout, stderr } = captureIo(options);
  if (options.stdin !== undefined) stdin.end(options.stdin);
  const code = await runCli(argv, io);
  return { code, stdout: stdout(), stderr: stderr() };
};

/** The same with a store. */
export function runIn(store: string, env: Readonly<Record<string, string>> = {}): RunCommand {
  const place = { TOOLWEAVE_STORE: store, XDG_CONFIG_HOME: dirname(store) };
  return (argv, options = {}) =>
    runCommand(argv, { ...options, env: { ...place, ...env, ...options.env } });
}

/** The id of the call that a command has stored. */
export function idIn({ code, stdout, stderr }: Ended): string {
  const id = /approvals (?:approve|resume) (\S+)/.exec(stderr)?.[1];
  if (id === undefined) throw new Error(`Nothing was put aside: ${code}\n${stdout}\n${stderr}`);
  return id;
}
