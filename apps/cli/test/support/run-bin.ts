import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempFolder, tempStore } from "./temp-file.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** The options of a process of the command. */
export interface BinOptions {
  /** Default: a separate store that does not exist yet. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Before the script, for Node.js. */
  readonly nodeArgs?: readonly string[];
}

/** The result of a process of the command. */
export interface BinResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `toolweave` on its sources. */
export function startBin(
  args: readonly string[],
  { env = {}, cwd, nodeArgs = [] }: BinOptions = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, ["--conditions=@toolweave/source", ...nodeArgs, main, ...args], {
    env: {
      ...process.env,
      npm_command: "",
      // A process that several tests use has a store of their file.
      ...(env["TOOLWEAVE_STORE"] === undefined ? { TOOLWEAVE_STORE: tempStore() } : {}),
      TOOLWEAVE_KEY: "",
      ...env,
    },
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/**
 * Runs a line of a POSIX shell, which finds `toolweave` and nothing else of this process's path.
 */
export function runShell(
  line: string,
  { env = {}, cwd = "/" }: Pick<BinOptions, "env" | "cwd"> = {},
): Promise<BinResult> {
  const folder = tempFolder();
  const shim = join(folder, "toolweave");
  const command = [process.execPath, "--conditions=@toolweave/source", main];
  writeFileSync(shim, `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(" ")} "$@"\n`);
  chmodSync(shim, 0o755);
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn("sh", ["-c", line], {
    cwd,
    env: { PATH: `${folder}${delimiter}${PATH}`, HOME, ...env },
  });
  child.stdin.end();
  return awaitEnd(child);
}

/** Reads a process to its end. */
export async function awaitEnd(child: ChildProcessWithoutNullStreams): Promise<BinResult> {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout, stderr };
}

/** Runs `toolweave` to its end, with `input` on its stdin. */
export function runBin(
  args: readonly string[],
  options: BinOptions & { readonly input?: string } = {},
): Promise<BinResult> {
  const child = startBin(args, options);
  child.stdin.end(options.input ?? "");
  return awaitEnd(child);
}
