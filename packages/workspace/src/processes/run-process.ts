import { spawn, type ChildProcess } from "node:child_process";
import type { Duplex } from "node:stream";
import type { ControlGroup } from "./control-group.ts";
import { killCallProcesses, signalGroup } from "./kill-processes.ts";
import { OutputSocket } from "./output-socket.ts";

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
  /**
   * Receives both outputs as they come, in a buffer that is used again afterwards. While a returned promise is pending,
   * nothing more is read.
   */
  readonly onOutput: (chunk: Buffer) => void | Promise<void>;
  /** Receives the error output, which `onOutput` then does not. */
  readonly onErrorOutput?: (chunk: Buffer) => void | Promise<void>;
  /** The input. Default: there is none. */
  readonly input?: string;
  /** Called when the command was spawned, or could not be. */
  readonly close?: () => void;
  /** The group that the command enters. It is removed afterwards. */
  readonly group?: ControlGroup | undefined;
  /** Processes that the command has left are not killed. Default: false. */
  readonly keepSurvivors?: boolean;
  /** Descriptors that the command has from 3 on; `pipe`: a new pipe between it and this process. */
  readonly descriptors?: readonly (number | "pipe")[];
  /** Receives the pipes, in their order, when the command was spawned. */
  readonly onSpawn?: (pipes: readonly Duplex[]) => void;
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

/**
 * Runs a command in a process group of its own until it exits, is stopped by the signal, or takes too long. It does not
 * wait for processes that the command has left in the background: they are killed.
 *
 * @throws the error of the system (by rejecting) when it cannot be started; the reason of the signal.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessEnd> {
  const { callId, timeoutMs, signal, group } = request;
  const started = performance.now();
  const { outputs, child } = await start(request);
  const pipes = child.stdio.slice(3).filter((stream) => stream !== null && stream !== undefined);
  request.onSpawn?.(pipes as unknown as readonly Duplex[]);
  let timedOut = false;
  const stopping = new GroupStop(child);
  const timer = timeoutMs === 0 ? undefined : setTimeout(onTimeout, timeoutMs);
  function onTimeout(): void {
    timedOut = true;
    stopping.begin();
  }
  const onAbort = (): void => stopping.begin();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const [exitCode, exitSignal] = await waitForExit(child);
    await Promise.all(outputs.map((output) => output.end()));
    const killed = request.keepSurvivors === true ? 0 : killLeft(child, callId, group);
    if (signal.aborted && !timedOut) throw signal.reason;
    return { exitCode, exitSignal, timedOut, durationMs: performance.now() - started, killed };
  } finally {
    clearTimeout(timer);
    stopping.end();
    for (const output of outputs) output.close();
    child.stdin?.destroy();
    for (const pipe of pipes) pipe.destroy();
    group?.remove();
    signal.removeEventListener("abort", onAbort);
  }
}

/** Spawns the command. What belongs to it is closed if that fails. */
async function start(
  request: ProcessRequest,
): Promise<{ readonly outputs: readonly OutputSocket[]; readonly child: ChildProcess }> {
  const {
    argv,
    cwd,
    env,
    group,
    signal,
    onOutput,
    onErrorOutput,
    input,
    descriptors = [],
  } = request;
  const [program, ...args] = group === undefined ? argv : group.enter(argv);
  const outputs: OutputSocket[] = [];
  try {
    signal.throwIfAborted();
    const output = await OutputSocket.open(onOutput);
    outputs.push(output);
    let errors = output;
    if (onErrorOutput !== undefined)
      outputs.push((errors = await OutputSocket.open(onErrorOutput)));
    const child = spawn(program, args, {
      cwd,
      env,
      detached: true,
      stdio: [input === undefined ? "ignore" : "pipe", output.peer, errors.peer, ...descriptors],
    });
    for (const { peer } of outputs) peer.destroy();
    // A command need not read all of its input.
    child.stdin?.on("error", () => {}).end(input);
    return { outputs, child };
  } catch (error) {
    for (const output of outputs) output.close();
    group?.remove();
    throw error;
  } finally {
    request.close?.();
  }
}

function killLeft({ pid }: ChildProcess, callId: string, group: ControlGroup | undefined): number {
  // A group has all of them, and no process can leave it.
  const found = group?.kill() ?? killCallProcesses(callId);
  // Without `/proc`, only those of the group are found.
  const hadGroup = pid !== undefined && signalGroup(pid, "SIGKILL");
  return found === 0 && hadGroup && process.platform !== "linux" ? 1 : found;
}

function waitForExit(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
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
