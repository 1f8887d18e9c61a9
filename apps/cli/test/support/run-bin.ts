import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** How a process of the command is started. */
export interface BinOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Before the script, for Node. */
  readonly nodeArgs?: readonly string[];
}

/** What a process of the command did. */
export interface BinResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `toolweave` on its sources. */
export function startBin(
  args: readonly string[],
  { env = {}, nodeArgs = [] }: BinOptions = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, ["--conditions=@toolweave/source", ...nodeArgs, main, ...args], {
    env: { ...process.env, ...env },
  });
}

/** Reads a process to its end. */
export async function endOf(child: ChildProcessWithoutNullStreams): Promise<BinResult> {
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
  return endOf(child);
}
