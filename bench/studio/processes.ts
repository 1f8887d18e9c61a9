import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";

const graceMs = 5_000;
const startMs = 60_000;
const running = new Set<ChildProcess>();

/** A server that was started, with what it has printed when it was ready. */
export interface StartedProcess {
  readonly pid: number;
  readonly output: string;
  end(): Promise<void>;
}

/**
 * Starts a program of Node.js, and waits until its output matches.
 *
 * @throws Error if it ends before, or has not matched within a minute.
 */
export async function startProcess(
  args: readonly string[],
  ready: RegExp,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<StartedProcess> {
  const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  let output = "";
  const waiting = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      // What it prints later is read, so that the pipe is never full, and dropped.
      if (output.length < 100_000) output += text;
      if (ready.test(output)) waiting.resolve();
    });
  }
  child.once("error", waiting.reject);
  child.once("exit", () => waiting.reject(new Error(`${args.join(" ")} has ended:\n${output}`)));
  const timer = setTimeout(
    () => waiting.reject(new Error(`${args.join(" ")} is not ready:\n${output}`)),
    startMs,
  );
  try {
    await waiting.promise;
  } catch (error) {
    await endProcess(child);
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return { pid: child.pid ?? 0, output, end: () => endProcess(child) };
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const exited = once(child, "exit");
  child.kill();
  const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await exited;
  clearTimeout(timer);
}

/** Kills every process that is still running. */
export function killProcesses(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** The CPU time of a process with its threads since its start, in milliseconds. */
export function readCpu(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(folder).map((thread) =>
    Number(readFileSync(`${folder}/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** A port of 127.0.0.1 that is free. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
