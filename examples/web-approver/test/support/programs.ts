import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The approver, as a child process. */
export interface ApproverProcess {
  readonly startUrl: string;
  readonly child: ChildProcess;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

interface Started {
  readonly child: ChildProcess;
  /** Its output so far. */
  readonly output: { text: string };
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Runs the agent's process to its end; resolves to its output. */
export async function runAgent(folder: string): Promise<string> {
  const { output, ended } = start("agent", ["--folder", folder]);
  const code = await ended;
  if (code !== 0) throw new Error(`The agent ended with ${code}: ${output.text}`);
  return output.text;
}

/** Starts the approver's process; resolves as soon as it listens. */
export async function startApprover(folder: string): Promise<ApproverProcess> {
  const { child, output, ended } = start("approver", ["--folder", folder]);
  const startUrl = await new Promise<string>((resolve, reject) => {
    child.stdout?.on("data", () => {
      const [, url] = /^Open (\S+)\n/m.exec(output.text) ?? [];
      if (url !== undefined) resolve(url);
    });
    void ended.then((code) => reject(new Error(`It ended with ${code}: ${output.text}`)));
  });
  return { startUrl, child, ended };
}

/** Starts a program of this example. */
export function start(program: string, args: readonly string[]): Started {
  const script = fileURLToPath(new URL(`../../src/${program}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@toolweave/source", script, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, USER: "ada" },
  });
  const output = { text: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.text += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.text += text));
  const ended = once(child, "close").then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
  );
  return { child, output, ended };
}
