import { Worker } from "node:worker_threads";
import { ToolError } from "@toolweave/core";
import { JailError } from "../jail/jail-error.ts";
import type { SearchRequest, SearchResult } from "./search-tree.ts";
import type { SearchAnswer, SearchWorkerData } from "./search-worker.ts";

/** Milliseconds for a search. A pattern that needs more backtracks without end, or the tree is too large. */
const maxSearchMs = 30_000;

/** Searches in a thread of its own, which is ended if a search takes too long: a pattern comes from a model. */
export class SearchThread {
  readonly #data: SearchWorkerData;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(data: SearchWorkerData) {
    this.#data = data;
  }

  /**
   * Searches, after all earlier searches have ended.
   *
   * @throws ToolError (by rejecting) `invalid_arguments` for an invalid pattern, `timeout`; JailError for a path that
   * cannot be used; the reason of the signal.
   */
  search(request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    const result = this.#last.then(() => this.#search(request, signal));
    this.#last = result.catch(() => {});
    return result;
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #search(request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const worker = (this.#worker ??= this.#start());
      worker.ref();
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        worker.off("message", onMessage).off("error", stop).off("exit", onExit);
        worker.unref();
      };
      const stop = (error: unknown): void => {
        end();
        this.#worker = undefined;
        void worker.terminate();
        reject(error);
      };
      const onMessage = (answer: SearchAnswer): void => {
        end();
        if ("result" in answer) resolve(answer.result);
        else reject(toError(answer, request.pattern));
      };
      const onExit = (): void => {
        stop(new ToolError("execution_failed", "The search ended without a result."));
      };
      const onAbort = (): void => stop(signal.reason);
      const timer = setTimeout(() => stop(tooSlow()), maxSearchMs);
      signal.addEventListener("abort", onAbort, { once: true });
      worker.on("message", onMessage).on("error", stop).on("exit", onExit);
      worker.postMessage(request);
    });
  }

  #start(): Worker {
    const worker = new Worker(scriptUrl(), {
      workerData: this.#data,
      env: {},
      // The sources of this package go with those of the others.
      execArgv: isSource ? ["--conditions=@toolweave/source"] : [],
    });
    worker.unref();
    return worker;
  }
}

const isSource: boolean = import.meta.url.endsWith(".ts");

/** The script of the thread: beside this file in the sources, and in a folder of its own in the package. */
function scriptUrl(): URL {
  return new URL(isSource ? "./search-worker.ts" : "../search/search-worker.js", import.meta.url);
}

function tooSlow(): ToolError {
  return new ToolError(
    "timeout",
    `The search did not end within ${maxSearchMs / 1000} s. Search a smaller path, or use a simpler pattern.`,
  );
}

function toError(answer: Exclude<SearchAnswer, { result: unknown }>, pattern: string): Error {
  if ("fault" in answer) return new JailError(answer.fault);
  if ("invalidPattern" in answer) {
    return new ToolError(
      "invalid_arguments",
      `pattern cannot be used as a regular expression of JavaScript: ${answer.invalidPattern.slice(0, 300)}. Escape special characters with \\, or set literal.`,
    );
  }
  return new ToolError(
    "execution_failed",
    `The search of ${JSON.stringify(pattern.slice(0, 100))} failed: ${answer.failure}`,
  );
}
