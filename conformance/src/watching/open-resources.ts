import { AsyncLocalStorage, createHook, executionAsyncId, type AsyncHook } from "node:async_hooks";
import { dirname } from "node:path";

/** Something that was opened and is still there. */
export interface OpenResource {
  /** What it is, in a few words: `a timer`, `a server`, `a child process`. */
  readonly what: string;
  /** Where it was opened: the first line of code that is not Node's, the kit's or a dependency's. */
  readonly where?: string;
}

interface Tracked {
  readonly type: string;
  readonly resource: { readonly hasRef?: () => boolean; readonly pid?: number };
  readonly stack: string;
  /** What it came of, where that is known. */
  readonly cause: Tracked | undefined;
}

const words: Readonly<Record<string, string>> = {
  Timeout: "a timer",
  Immediate: "a loop of immediates",
  TCPSERVERWRAP: "a server",
  PIPESERVERWRAP: "a server on a pipe",
  TCPWRAP: "a connection",
  TLSWRAP: "a connection",
  UDPWRAP: "a UDP socket",
  PIPEWRAP: "a pipe",
  TTYWRAP: "a terminal",
  PROCESSWRAP: "a child process",
  FSEVENTWRAP: "a file watcher",
  STATWATCHER: "a file watcher",
  WORKER: "a worker",
  MESSAGEPORT: "a message port",
  HTTP2SESSION: "an HTTP/2 session",
};

/** The kit's own code, as sources and as built: it opens nothing for its own sake. */
const here: string = dirname(import.meta.dirname);

/**
 * Watches what a piece of code opens, and whatever comes of it: timers, servers, connections, child
 * processes, watchers, workers. What others open at the same time does not count, nor does what
 * keeps no process alive: an unreferenced timer, an idle connection of a shared agent. A child
 * process counts as long as it runs. Files that are open are not seen.
 *
 * It slows the whole process down until it is disposed of.
 */
export class OpenResources implements Disposable {
  readonly #scope = new AsyncLocalStorage<true>();
  readonly #open = new Map<number, Tracked>();
  readonly #hook: AsyncHook;

  constructor() {
    this.#hook = createHook({
      init: (id, type, trigger, resource) => {
        if (type === "PROMISE") return;
        // What Node opens by itself has no scope: a connection that a server has accepted.
        if (this.#scope.getStore() !== true && !this.#open.has(trigger)) return;
        const cause = this.#open.get(trigger) ?? this.#open.get(executionAsyncId());
        this.#open.set(id, { type, resource, stack: stackHere(), cause });
      },
      destroy: (id) => this.#open.delete(id),
    }).enable();
  }

  /** Runs `work`; what it opens counts, then and later. */
  run<T>(work: () => T): T {
    return this.#scope.run(true, work);
  }

  /** What is open now, in the order in which it was opened. */
  left(): readonly OpenResource[] {
    return [...this.#open.values()].filter(isHeld).map((tracked) => {
      const what = words[tracked.type] ?? tracked.type;
      const where = placeOf(tracked);
      return { what, ...(where === undefined ? {} : { where }) };
    });
  }

  /**
   * What is still open after a while: handles close in the background.
   *
   * @param wait waits for a moment; asked again as long as something is open.
   * @param times how often at most. Default: 20.
   */
  async settled(wait: () => Promise<void>, times = 20): Promise<readonly OpenResource[]> {
    // A few turns of the event loop and a few milliseconds are all that most need.
    for (let turn = 0; turn < 3 && this.left().length > 0; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (let time = 0; time < 5 && this.left().length > 0; time++) {
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    for (let time = 0; time < times && this.left().length > 0; time++) await wait();
    return this.left();
  }

  /** Stops watching. */
  [Symbol.dispose](): void {
    this.#hook.disable();
    this.#open.clear();
  }
}

function isHeld({ type, resource }: Tracked): boolean {
  // A process goes on without its parent, whether that waits for it or not.
  if (type === "PROCESSWRAP") return isRunning(resource.pid);
  return typeof resource.hasRef === "function" && resource.hasRef();
}

function isRunning(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

function stackHere(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 30;
  try {
    return new Error("opened").stack ?? "";
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function placeOf({ stack, cause }: Tracked): string | undefined {
  return placeIn(stack) ?? (cause === undefined ? undefined : placeOf(cause));
}

function placeIn(stack: string): string | undefined {
  const frames = stack
    .split("\n")
    .slice(1)
    .filter((frame) => !/node:|\(native\)|<anonymous>/.test(frame) && !frame.includes(here));
  const own = frames.find((frame) => !frame.includes("node_modules")) ?? frames[0];
  return own?.trim().replace(/^at /, "").replace("file://", "");
}
