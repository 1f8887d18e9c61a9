import { spawn, type ChildProcess } from "node:child_process";
import { killProcessesOf, signalGroup } from "./kill-processes.ts";

/** A command that is run. */
export interface ProcessRequest {
  readonly argv: readonly [program: string, ...args: string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Marks the processes of the command: the value of `TOOLWEAVE_CALL`. */
  readonly callId: string;
  /** Milliseconds; 0: none. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Receives the output as it comes. While a returned promise is pending, the command is not read. */
  readonly onOutput: (chunk: Buffer) => void | Promise<void>;
  /** Processes that the command has left are not killed. Default: false. */
  readonly keepSurvivors?: boolean;
  /** Descriptors that the command has from 3 on. */
  readonly descriptors?: readonly number[];
}

/** How a command ended. */
export interface ProcessEnd {
  /** `null`: a signal ended it. */
  readonly exitCode: number | null;
  readonly exitSignal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
  /** Processes that were killed after the command had ended. */
  readonly killed: number;
}

const graceMs = 2_000;
/** The output is complete if nothing has come for so long after the exit. */
const quietMs = 50;
const maxDrainMs = 500;

/**
 * Runs a command in a process group of its own until it exits, is stopped by the signal, or takes too long. It does not
 * wait for processes that the command has left in the background: they are killed.
 *
 * @throws the error of the system (by rejecting) when it cannot be started; the reason of the signal.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessEnd> {
  const { argv, cwd, env, callId, timeoutMs, signal, onOutput, descriptors = [] } = request;
  signal.throwIfAborted();
  const started = performance.now();
  const [program, ...args] = argv;
  const child = spawn(program, args, {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe", ...descriptors],
  });
  const drain = new Drain(child, onOutput);
  let timedOut = false;
  const stopping = new GroupStop(child);
  const timer = timeoutMs === 0 ? undefined : setTimeout(onTimeout, timeoutMs);
  function onTimeout(): void {
    timedOut = true;
    stopping.begin();
  }
  const onAbort = (): void => stopping.begin();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const [exitCode, exitSignal] = await exitOf(child);
    await drain.end();
    const killed = request.keepSurvivors === true ? 0 : killLeft(child, callId);
    if (signal.aborted && !timedOut) throw signal.reason;
    return { exitCode, exitSignal, timedOut, durationMs: performance.now() - started, killed };
  } finally {
    clearTimeout(timer);
    stopping.end();
    signal.removeEventListener("abort", onAbort);
  }
}

function killLeft({ pid }: ChildProcess, callId: string): number {
  const found = killProcessesOf(callId);
  // Without `/proc`, only those of the group are found.
  const hadGroup = pid !== undefined && signalGroup(pid, "SIGKILL");
  return found === 0 && hadGroup && process.platform !== "linux" ? 1 : found;
}

function exitOf(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve([code, signal]));
  });
}

/** Ends a process group: first politely, then for certain. */
class GroupStop {
  readonly #child: ChildProcess;
  #timer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  begin(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#timer !== undefined) return;
    signalGroup(pid, "SIGTERM");
    this.#timer = setTimeout(() => signalGroup(pid, "SIGKILL"), graceMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** Reads both outputs of a process in the order in which they come. */
class Drain {
  readonly #child: ChildProcess;
  #lastOutput = 0;
  #open = 0;
  #pending = 0;
  readonly #closed: Promise<unknown>;

  constructor(child: ChildProcess, onOutput: ProcessRequest["onOutput"]) {
    this.#child = child;
    const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
    this.#closed = Promise.all(
      streams.map((stream) => new Promise((resolve) => stream.once("close", resolve))),
    );
    for (const stream of streams) {
      this.#open += 1;
      stream.on("data", (chunk: Buffer) => {
        this.#lastOutput = performance.now();
        const taken = onOutput(chunk);
        if (taken === undefined) return;
        stream.pause();
        this.#pending += 1;
        void taken.finally(() => {
          this.#pending -= 1;
          stream.resume();
        });
      });
      stream.once("close", () => (this.#open -= 1));
      stream.on("error", () => {});
    }
  }

  /** Waits until the rest of the output has come. A process in the background can hold the pipes open without end. */
  async end(): Promise<void> {
    const begin = performance.now();
    this.#lastOutput = begin;
    while (this.#open > 0) {
      const now = performance.now();
      const isQuiet = now - this.#lastOutput >= quietMs || now - begin >= maxDrainMs;
      if (this.#pending === 0 && isQuiet) break;
      await Promise.race([this.#closed, new Promise((resolve) => setTimeout(resolve, 10))]);
    }
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }
}
