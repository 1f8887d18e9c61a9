import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { WorkerMessage } from "./worker.ts";

/** A process that runs one job of `worker.ts`. */
export interface Worker {
  readonly process: ChildProcess;
  /** Its next message. */
  next(): Promise<WorkerMessage>;
  /** All messages that were not read yet. */
  rest(): readonly WorkerMessage[];
  tell(message: string): void;
  /** Kills it without cleanup; resolves when it has exited. */
  kill(): Promise<void>;
}

/** Starts `job` in a child process, which ends with the test. */
export function startWorker(job: string, path: string, ...rest: readonly string[]): Worker {
  const child = fork(join(import.meta.dirname, "worker.ts"), [job, path, ...rest], {
    execArgv: ["--conditions=@toolweave/source", "--disable-warning=ExperimentalWarning"],
  });
  const messages: WorkerMessage[] = [];
  let wake: (() => void) | undefined;
  child.on("message", (message: WorkerMessage) => {
    messages.push(message);
    wake?.();
  });
  child.on("exit", () => wake?.());
  const worker: Worker = {
    process: child,
    async next() {
      while (messages.length === 0) {
        if (child.exitCode !== null || child.signalCode !== null) {
          throw new Error(`${job} ended: ${child.exitCode ?? child.signalCode}`);
        }
        await new Promise<void>((resolve) => (wake = resolve));
      }
      return messages.shift()!;
    },
    rest: () => messages.splice(0),
    tell: (message) => void child.send(message),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
  onTestFinished(() => worker.kill());
  return worker;
}
