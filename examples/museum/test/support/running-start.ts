import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../../src/start.ts", import.meta.url));
const command = [process.execPath, "--conditions=@toolweave/source", script];

/**
 * Whether there is a `script` command that runs a command on a separate terminal: that of
 * util-linux.
 */
export const hasTerminals: boolean = (() => {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux");
  } catch {
    return false;
  }
})();

/** The output of a process, and its end. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The start command as a process. */
export interface RunningStart {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** Resolves when `text` has been written to stdout, `times` times; rejects when it ends before. */
  printed(text: string, times?: number): Promise<void>;
  /** The text that has been written to stdout. */
  stdout(): string;
}

/** Starts it without a terminal. No key of the user who runs the tests reaches it. */
export function runStart(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): RunningStart {
  return run(command[0] as string, [...command.slice(1), ...args], env);
}

/** Starts it on a separate terminal: data written to its stdin is typed there. */
export function runAtTerminal(env: NodeJS.ProcessEnv = {}): RunningStart {
  const quoted = command.map((part) => `'${part.replaceAll("'", String.raw`'\''`)}'`).join(" ");
  return run("script", ["-qec", `exec ${quoted}`, "/dev/null"], { SHELL: "/bin/sh", ...env });
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): RunningStart {
  const own = { ...process.env };
  for (const name of Object.keys(own)) if (name.startsWith("OPENAI_")) delete own[name];
  const child = spawn(program, args, { stdio: "pipe", env: { ...own, ...env } });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...output }));
  const printed = (text: string, times = 1): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (output.stdout.split(text).length > times) resolve();
      };
      child.stdout.on("data", look);
      look();
      void ended.then(() => reject(new Error(`it ended without ${text}:\n${output.stdout}`)));
    });
  return { child, ended, printed, stdout: () => output.stdout };
}
