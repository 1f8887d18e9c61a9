import { Worker, type ResourceLimits } from "node:worker_threads";
import { checkOptions } from "../contract/check-options.ts";
import { toErrorMessage } from "../contract/error-message.ts";
import { ToolError } from "../contract/tool-error.ts";
import type { PreflightContext, Tool, ToolContext } from "../contract/tool.ts";
import { loadedSource, type LoadedSource } from "../registry/loaded-source.ts";
import type { ThreadMessage, ThreadRequest, ThreadTool } from "./messages.ts";

/** Options of `workerSource`. */
export interface WorkerSourceOptions {
  /** Milliseconds that a cancelled call has to end before its thread is terminated. Default: 1,000. */
  readonly graceMs?: number;
  /** The environment variables of the threads. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Memory limits of a thread, as in `node:worker_threads`. Default: those of Node.js. */
  readonly resourceLimits?: ResourceLimits;
}

/**
 * A source of the tools that a module exports, which run in threads (`node:worker_threads`), one call in each at a time.
 * A call that computes without an end is stopped at its deadline. An error in a timer of a tool, and `process.exit`, end
 * only the thread: its call fails with `outcome_unknown`, and the next one gets another thread. Concurrent calls have as
 * many threads; `limits.concurrency` limits them. Idle threads are reused, and do not keep the process alive.
 *
 * Threads share neither the environment nor stdin, and what they print goes to stderr. They have the files and the
 * permissions of the process: code that is not trusted needs a process of its own.
 *
 * Arguments, injected values and outputs are copied. In a thread, `ctx` has no `scope`, `artifacts` and `checkpoint`,
 * and a tool can wait for a person only for its approval. `ready` rejects with `unavailable` when the module cannot be
 * loaded.
 *
 * @param module the URL of the module, whose exports are tools of `defineTool`, or lists of them. Other exports are
 * ignored.
 * @throws ToolError `invalid_configuration` for an unknown option.
 * @example
 * ```ts
 * const registry = new ToolRegistry([workerSource(new URL("./tools.js", import.meta.url))]);
 * ```
 */
export function workerSource(module: URL, options: WorkerSourceOptions = {}): LoadedSource {
  checkOptions("workerSource", options, ["graceMs", "env", "resourceLimits"]);
  const threads = new Threads(module, options);
  return loadedSource({
    id: module.href,
    trustAnnotations: true,
    async load() {
      // A new thread reads the module again.
      threads.endIdle();
      const thread = await threads.take();
      threads.release(thread);
      return thread.tools.map((tool) => toTool(tool, threads));
    },
    close: () => threads.close(),
  });
}

/** The parts of a context that a call or a preflight uses here. */
type CallContext = Omit<PreflightContext, "injected"> &
  Partial<Pick<ToolContext, "turnId" | "injected" | "update" | "progress">>;

function toTool({ spec, hasPreflight, validatesArguments }: ThreadTool, threads: Threads): Tool {
  const request = (
    { callId, runId, turnId, sessionId, caller, injected }: CallContext,
    args: ThreadRequest["args"],
  ): ThreadRequest => ({
    ...{ type: "preflight", tool: spec.name, args, idempotencyKey: "" },
    context: { callId, runId, turnId, sessionId, caller, injected } as ThreadRequest["context"],
  });
  return {
    spec,
    ...(validatesArguments ? { argumentsValidation: "tool" as const } : {}),
    ...(hasPreflight
      ? { preflight: (args, ctx) => threads.run(request(ctx, args), ctx) as Promise<never> }
      : {}),
    async invoke(args, ctx) {
      const { context, ...common } = request(ctx, args);
      const call: ThreadRequest = {
        ...{ ...common, type: "call", idempotencyKey: await ctx.idempotencyKey() },
        context: {
          ...context,
          attempt: ctx.attempt,
          ...(ctx.permissions === undefined ? {} : { permissions: ctx.permissions }),
        },
      };
      return (await threads.run(call, ctx)) as never;
    },
  };
}

/** One thread, and the listeners of what it does. */
class Thread {
  tools: readonly ThreadTool[] = [];
  onMessage: (message: ThreadMessage) => void = () => {};
  onEnd: (reason: string) => void = () => {};
  readonly worker: Worker;

  constructor(module: URL, { env, resourceLimits }: WorkerSourceOptions) {
    // Beside this file, with the same extension: the sources run unbuilt, too.
    const script = import.meta.url.replace(/[^/]*(\.\w+)$/, "worker-thread$1");
    this.worker = new Worker(new URL(script), {
      workerData: { module: module.href },
      env: { ...env },
      ...(resourceLimits === undefined ? {} : { resourceLimits }),
    });
    // What it prints goes to stderr. With `stdout: true`, a stream that is read would keep the process alive.
    const { stdout } = this.worker;
    stdout.unpipe(process.stdout).on("data", (text: Uint8Array) => process.stderr.write(text));
    let reason: string | undefined;
    this.worker.on("message", (message: ThreadMessage) => this.onMessage(message));
    this.worker.on("error", (error) => (reason = toErrorMessage(error)));
    this.worker.on("exit", (code) => this.onEnd(reason ?? `its thread exited with ${code}`));
  }
}

/** The threads of one module. */
class Threads {
  readonly #start: () => Thread;
  readonly #graceMs: number;
  readonly #all = new Set<Thread>();
  readonly #idle = new Set<Thread>();

  constructor(module: URL, options: WorkerSourceOptions) {
    this.#start = () => new Thread(module, options);
    this.#graceMs = options.graceMs ?? 1000;
  }

  /** Returns an idle thread, or a new one. */
  async take(): Promise<Thread> {
    for (const idle of this.#idle) {
      this.#idle.delete(idle);
      idle.worker.ref();
      return idle;
    }
    const thread = this.#start();
    this.#all.add(thread);
    await new Promise<void>((resolve, reject) => {
      thread.onMessage = (message) => {
        if (message.type !== "tools") return;
        thread.tools = message.tools;
        resolve();
      };
      thread.onEnd = (reason) => {
        this.#all.delete(thread);
        reject(new ToolError("unavailable", `The module of the tools cannot be used: ${reason}.`));
      };
    });
    return thread;
  }

  release(thread: Thread): void {
    thread.onMessage = () => {};
    thread.onEnd = () => {
      this.#all.delete(thread);
      this.#idle.delete(thread);
    };
    thread.worker.unref();
    this.#idle.add(thread);
  }

  /** Runs one call, or one preflight, in a thread. */
  async run(request: ThreadRequest, { signal, update, progress }: CallContext): Promise<unknown> {
    const thread = await this.take();
    return new Promise<unknown>((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const abort = (): void => {
        thread.worker.postMessage("abort");
        timer = setTimeout(() => void thread.worker.terminate(), this.#graceMs);
      };
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
      };
      thread.onEnd = (reason) => {
        end();
        this.#all.delete(thread);
        const text = `${request.tool} crashed: ${reason}. It may have done a part of its work: check that before you call it again.`;
        reject(new ToolError("outcome_unknown", text));
      };
      thread.onMessage = (message) => {
        if (message.type === "update") void update?.(message.output);
        else if (message.type === "progress") progress?.(message.progress);
        else if (message.type === "answer") resolve(message.answer);
        else if (message.type === "error") {
          const { code, message: text, ...options } = message.error;
          const error = new ToolError(code, text, options);
          if (message.output === undefined) reject(error);
          else resolve({ ...message.output, error });
        } else if (message.type === "idle") {
          end();
          this.release(thread);
        }
      };
      try {
        thread.worker.postMessage(request);
      } catch (cause) {
        this.release(thread);
        const text = `${request.tool} was not run: its injected values cannot be copied.`;
        return reject(new ToolError("internal", text, { cause }));
      }
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    });
  }

  /** Ends the threads that no call uses. */
  endIdle(): void {
    for (const { worker } of this.#idle) void worker.terminate();
    this.#idle.clear();
  }

  async close(): Promise<void> {
    this.#idle.clear();
    await Promise.all(Array.from(this.#all, ({ worker }) => worker.terminate()));
  }
}
