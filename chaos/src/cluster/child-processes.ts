import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Everything that this process has started and that has not ended. */
const running = new Set<ChildProcess>();

process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** A Node.js program with a channel for messages. It ends with this process. */
export interface Child {
  readonly process: ChildProcess;
  /** Its first message. */
  readonly ready: unknown;
  /** The last lines that it has written to its standard error. */
  errors(): string;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
}

/** Starts a program, and waits for its first message. */
export async function startChild(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const child = fork(program, [...args], {
    env: { ...process.env, ...env },
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  running.add(child);
  let errors = "";
  child.stderr
    ?.setEncoding("utf8")
    .on("data", (text: string) => (errors = (errors + text).slice(-2_000)));
  const ended = once(child, "exit").then(() => void running.delete(child));
  const ready = await Promise.race([once(child, "message"), ended]);
  if (ready === undefined) throw new Error(`${program} did not start:\n${errors}`);
  return { process: child, ready: ready[0], errors: () => errors, ended };
}

/**
 * Stops a process and its children for a time (SIGSTOP, SIGCONT). A process of its own does that, so that they also
 * continue if this one ends.
 */
export async function stopFor(pid: number, ms: number): Promise<void> {
  // A child that was made meanwhile is stopped by the second round.
  const script = `
all() { echo ${pid}; pgrep -P ${pid}; }
kill -STOP $(all); kill -STOP $(all)
sleep ${ms / 1000}
kill -CONT $(all)`;
  await once(spawn("/bin/sh", ["-c", script], { stdio: "ignore", detached: true }), "exit");
}
