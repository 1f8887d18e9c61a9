import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";

import { ToolError } from "@toolweave/core";

import type { QueryAnswer, QueryRequest } from "./query-process.ts";

const script = new URL("./query-process.ts", import.meta.url);
const maxIdle = 4;

/** Processes that run queries, one each at a time; some are kept for the next query. */
export class QueryProcesses {
  readonly #database: string;
  readonly #all = new Set<ChildProcess>();
  readonly #idle: ChildProcess[] = [];
  #closed = false;

  constructor(database: string) {
    this.#database = database;
  }

  /**
   * Runs a query; when `signal` fires, its process is ended.
   *
   * @throws ToolError `unavailable` if the process has exited, or this is closed.
   */
  async run(request: QueryRequest, signal: AbortSignal): Promise<QueryAnswer> {
    signal.throwIfAborted();
    if (this.#closed) throw closed();
    const child = this.#idle.pop() ?? this.#start();
    child.ref();
    child.channel?.ref();
    const stop = (): void => void child.kill("SIGKILL");
    signal.addEventListener("abort", stop, { once: true });
    try {
      const answer = await awaitAnswer(child, request);
      if (signal.aborted || this.#closed || this.#idle.length >= maxIdle) stop();
      else this.#rest(child);
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      throw this.#closed ? closed() : error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Ends all of them; their queries fail. */
  async close(): Promise<void> {
    this.#closed = true;
    const ends = [...this.#all].map((child) => {
      // No other process is left to wait for.
      child.ref();
      child.kill("SIGKILL");
      return once(child, "exit");
    });
    await Promise.all(ends);
  }

  #start(): ChildProcess {
    const child = fork(script, [this.#database], {
      execArgv: ["--disable-warning=ExperimentalWarning"],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#all.add(child);
    // A process that could not be started never exits.
    child.on("error", () => child.pid ?? this.#all.delete(child));
    child.once("exit", () => {
      this.#all.delete(child);
      const at = this.#idle.indexOf(child);
      if (at !== -1) this.#idle.splice(at, 1);
    });
    return child;
  }

  /** It does not keep the host's process alive. */
  #rest(child: ChildProcess): void {
    this.#idle.push(child);
    child.unref();
    child.channel?.unref();
  }
}

async function awaitAnswer(child: ChildProcess, request: QueryRequest): Promise<QueryAnswer> {
  const over = new AbortController();
  const { signal } = over;
  const lost = (cause?: unknown): never => {
    const message = "The process that ran the query ended before it was done. Call again later.";
    throw new ToolError("unavailable", message, { cause });
  };
  const answered = once(child, "message", { signal }).catch(lost);
  const gone = once(child, "exit", { signal }).then(() => lost(), lost);
  child.send(request);
  try {
    const [answer] = (await Promise.race([answered, gone])) as [QueryAnswer];
    return answer;
  } finally {
    // The result of a process that is no longer needed rejects without a listener.
    gone.catch(() => {});
    answered.catch(() => {});
    over.abort();
  }
}

function closed(): ToolError {
  return new ToolError("unavailable", "The folder of queries is closed.", { retryable: false });
}
