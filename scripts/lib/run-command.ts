import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";

/** How a command ended. `output` holds stdout and stderr as they came. */
export interface CommandResult {
  /** 0 when it went well; 1 when it was killed, also after its time was up. */
  readonly code: number;
  readonly stdout: string;
  readonly output: string;
}

/** Where and how long a command may run. */
export interface CommandOptions {
  readonly cwd: string;
  /** Added to the environment; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** For a command that hangs, in milliseconds. Default: 20 minutes. */
  readonly timeoutMs?: number;
  /** Put first on PATH, so that the tools of the workspace run, on its Node. */
  readonly binFolder?: string;
}

const running = new Set<number>();

// From a signal on, nothing starts any more and nobody hears of a result.
let stopping = false;

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has already ended.
  }
}

// A command may itself have started groups, as check does, and needs a moment to end them.
const graceMs = 2000;

function endGroup(pid: number): void {
  signalGroup(pid, "SIGTERM");
  setTimeout(() => signalGroup(pid, "SIGKILL"), graceMs).unref();
}

// Each command leads a process group of its own, so Ctrl-C does not reach it by itself.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    stopping = true;
    for (const pid of running) signalGroup(pid, "SIGTERM");
    const deadline = Date.now() + graceMs;
    setInterval(() => {
      if (running.size > 0 && Date.now() < deadline) return;
      for (const pid of running) signalGroup(pid, "SIGKILL");
      process.exit(130);
    }, 20);
  });
}

/** Runs a command without a shell or stdin, and leaves no process of its group behind. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const timeoutMs = options.timeoutMs ?? 1_200_000;
  const path = process.env["PATH"] ?? "";
  const env = {
    ...process.env,
    PATH: options.binFolder === undefined ? path : `${options.binFolder}${delimiter}${path}`,
    NO_COLOR: "1",
    FORCE_COLOR: undefined,
    TURBO_TELEMETRY_DISABLED: "1",
    // Every example is a process that reads the same modules: Node keeps what it made of them.
    NODE_COMPILE_CACHE: join(import.meta.dirname, "../../node_modules/.cache/node"),
    ...options.env,
  };
  return new Promise((resolve) => {
    if (stopping) return;
    const child = spawn(command, args, {
      cwd: options.cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const pid = child.pid;
    let stdout = "";
    let output = "";
    let timer: NodeJS.Timeout | undefined;
    if (pid !== undefined) {
      running.add(pid);
      timer = setTimeout(() => {
        output += `\nkilled after ${timeoutMs / 1000} s\n`;
        endGroup(pid);
      }, timeoutMs);
    }
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.on("error", (error) => {
      resolve({
        code: 1,
        stdout,
        output: `${output}${command} could not be started: ${error.message}\n`,
      });
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (pid !== undefined) {
        signalGroup(pid, "SIGKILL");
        running.delete(pid);
      }
      if (!stopping) resolve({ code: code ?? 1, stdout, output });
    });
  });
}

/** The folder whose programs the workspace pins: Node 24, tsc, vitest and the rest. */
export function getBinFolder(root: string): string {
  return join(root, "node_modules", ".bin");
}
