import { fork } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** A process that runs an executor on the store of a test. */
export interface Agent {
  tell(message: unknown): void;
  /** Its next message. */
  next(): Promise<unknown>;
  /** Receives all of its messages from now on; returns a function that stops that. */
  listen(listener: (message: unknown) => void): () => void;
  /** Resolves when it has exited by itself. */
  readonly gone: Promise<unknown>;
  /** Kills it without cleanup; resolves when it has exited. */
  kill(): Promise<void>;
}

/** Starts `agent.ts`, or another, with a job; resolves when it is ready. It ends with the test. */
export async function startAgent(
  job: string,
  path: string,
  log: string,
  program: URL = new URL("./agent.ts", import.meta.url),
): Promise<Agent> {
  const child = fork(program, [job, path, log], {
    execArgv: ["--conditions=@toolweave/source", "--disable-warning=ExperimentalWarning"],
  });
  const gone = once(child, "exit");
  const agent: Agent = {
    tell: (message) => void child.send(message as object),
    async next() {
      const received = once(child, "message").then(([message]: unknown[]) => message);
      const died = gone.then(() => {
        throw new Error(`The agent that had to ${job} is gone.`);
      });
      return Promise.race([received, died]);
    },
    listen(listener) {
      child.on("message", listener);
      return () => void child.off("message", listener);
    },
    gone,
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
  onTestFinished(() => agent.kill());
  await agent.next();
  return agent;
}
