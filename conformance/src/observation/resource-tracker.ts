import { AsyncLocalStorage, createHook, executionAsyncId, type AsyncHook } from "node:async_hooks";
import { dirname } from "node:path";
import type { ToolSource } from "@toolweave/core";
import { oneCallPerTool, createExecutor, runSample } from "../execution/run-sample.ts";
import type { CheckContext } from "../context/check.ts";
import type { Subject } from "../context/subject.ts";

/** A resource that was opened and is still open. */
export interface OpenResource {
  /** The kind of resource: `a timer`, `a server`, `a child process`. */
  readonly what: string;
  /** Where it was opened: the first stack frame outside Node.js, the kit and dependencies. */
  readonly where?: string;
}

interface Tracked {
  readonly type: string;
  readonly resource: { readonly hasRef?: () => boolean; readonly pid?: number };
  readonly stack: string;
  /** The resource that caused it, if known. */
  readonly cause: Tracked | undefined;
}

const resourceNames: Readonly<Record<string, string>> = {
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

/**
 * The folder of the kit's own code, which is not reported as the place where a resource was opened.
 */
const kitFolder: string = dirname(import.meta.dirname);

/**
 * Tracks the resources that a piece of code opens, and everything that they open: timers, servers,
 * connections, child processes, watchers, workers. Resources of other code do not count, nor do
 * resources that do not keep the process alive: unreferenced timers, idle connections of a shared
 * agent. A child process counts while it runs. Open files are not tracked.
 *
 * Tracking slows the whole process down until it is disposed of.
 */
export class ResourceTracker implements Disposable {
  readonly #scope = new AsyncLocalStorage<true>();
  readonly #open = new Map<number, Tracked>();
  readonly #hook: AsyncHook;

  constructor() {
    this.#hook = createHook({
      init: (id, type, trigger, resource) => {
        if (type === "PROMISE") return;
        // Resources that Node.js opens have no scope, such as a connection that a server has
        // accepted.
        if (this.#scope.getStore() !== true && !this.#open.has(trigger)) return;
        const cause = this.#open.get(trigger) ?? this.#open.get(executionAsyncId());
        this.#open.set(id, { type, resource, stack: captureStack(), cause });
      },
      destroy: (id) => this.#open.delete(id),
    }).enable();
  }

  /** Runs `work`. Everything that it opens counts, then and later. */
  run<T>(work: () => T): T {
    return this.#scope.run(true, work);
  }

  /** The resources that are open now, in the order in which they were opened. */
  openResources(): readonly OpenResource[] {
    return [...this.#open.values()].filter(isOpen).map((tracked) => {
      const what = resourceNames[tracked.type] ?? tracked.type;
      const where = findPlace(tracked);
      return { what, ...(where === undefined ? {} : { where }) };
    });
  }

  /**
   * The resources that are still open after a while, since handles close in the background.
   *
   * @param wait waits for a moment; repeated while something is open.
   * @param times the maximum number of waits. Default: 20.
   */
  async waitUntilClosed(wait: () => Promise<void>, times = 20): Promise<readonly OpenResource[]> {
    // Most handles need only a few turns of the event loop and a few milliseconds.
    for (let turn = 0; turn < 3 && this.openResources().length > 0; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (let time = 0; time < 5 && this.openResources().length > 0; time++) {
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    for (let time = 0; time < times && this.openResources().length > 0; time++) await wait();
    return this.openResources();
  }

  /** Stops watching. */
  [Symbol.dispose](): void {
    this.#hook.disable();
    this.#open.clear();
  }
}

function isOpen({ type, resource }: Tracked): boolean {
  // A child process continues without its parent, whether the parent waits for it or not.
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

function captureStack(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 30;
  try {
    return new Error("opened").stack ?? "";
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function findPlace({ stack, cause }: Tracked): string | undefined {
  return findPlaceInStack(stack) ?? (cause === undefined ? undefined : findPlace(cause));
}

function findPlaceInStack(stack: string): string | undefined {
  const frames = stack
    .split("\n")
    .slice(1)
    .filter((frame) => !/node:|\(native\)|<anonymous>/.test(frame) && !frame.includes(kitFolder));
  const own = frames.find((frame) => !frame.includes("node_modules")) ?? frames[0];
  return own?.trim().replace(/^at /, "").replace("file://", "");
}

type Listener = (...args: unknown[]) => void;

const activeTrackers = new Set<ListenerTracker>();

/** One listener for all watchers, since `process` warns about many. */
const recordListener = (event: string | symbol, listener: Listener): void => {
  for (const listeners of activeTrackers) listeners.record(event, listener);
};

/**
 * Tracks the listeners that a piece of code adds to `process`. Listeners of other code do not
 * count.
 */
export class ListenerTracker implements Disposable {
  readonly #scope = new AsyncLocalStorage<true>();
  readonly #added: { readonly event: string | symbol; readonly listener: Listener }[] = [];

  constructor() {
    if (activeTrackers.size === 0) process.on("newListener", recordListener);
    activeTrackers.add(this);
  }

  /** Runs `work`. Listeners that it adds count, then and later. */
  run<T>(work: () => T): T {
    return this.#scope.run(true, work);
  }

  /** Records a listener that the tracked code adds. */
  record(event: string | symbol, listener: Listener): void {
    if (this.#scope.getStore() === true) this.#added.push({ event, listener });
  }

  /** The events with remaining listeners, one entry for each listener. */
  remainingEvents(): readonly string[] {
    return this.#added
      .filter(({ event, listener }) => process.listeners(event as "exit").includes(listener))
      .map(({ event }) => String(event));
  }

  /** Stops watching. */
  [Symbol.dispose](): void {
    activeTrackers.delete(this);
    if (activeTrackers.size === 0) process.off("newListener", recordListener);
    this.#added.length = 0;
  }
}

/** The resources and listeners that a source leaves behind. */
export interface OpenParts {
  /** The resources that are still open. */
  readonly open: readonly OpenResource[];
  /** The events of `process` with remaining listeners. */
  readonly listeners: readonly string[];
}

/**
 * Finds what a source leaves open. If it leaves something, the test is repeated: resources that are
 * opened once for all sources, such as a pool that the host shares, are not the source's to close.
 *
 * @param live uses the source and ends it.
 */
export async function findOpenParts(
  context: CheckContext,
  live: () => Promise<void>,
): Promise<OpenParts> {
  const first = await findOpenPartsOnce(context, live);
  if (first.open.length + first.listeners.length === 0) return first;
  const second = await findOpenPartsOnce(context, live);
  return {
    open: first.open.length === 0 ? [] : second.open,
    listeners: first.listeners.length === 0 ? [] : second.listeners,
  };
}

/** Creates a source, calls some of its tools, and ends it. */
export async function createUseAndEnd(
  context: CheckContext,
  end: (source: ToolSource) => Promise<void>,
): Promise<void> {
  const subject = await context.createReady();
  await callSomeTools(context, subject);
  await context.withDeadline(end(subject.source), "closing it");
}

/** Formats open resources for a report. */
export function formatOpenResources(open: readonly OpenResource[]): string {
  return open
    .map(({ what, where }) => (where === undefined ? what : `${what}, opened at ${where}`))
    .join("; ");
}

async function callSomeTools(context: CheckContext, subject: Subject): Promise<void> {
  const executor = createExecutor(subject.callableTools());
  for (const call of oneCallPerTool(context)) await runSample(context, executor, call);
}

async function findOpenPartsOnce(
  context: CheckContext,
  live: () => Promise<void>,
): Promise<OpenParts> {
  using opened = new ResourceTracker();
  using listeners = new ListenerTracker();
  await listeners.run(() => opened.run(live));
  return {
    open: await opened.waitUntilClosed(() => context.waitQuietly()),
    listeners: listeners.remainingEvents(),
  };
}
