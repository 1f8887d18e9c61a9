import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";

/** A change that a piece of code made to the process, which it shares with its host. */
export interface ProcessChange {
  /** `output`: standard output; `log`: standard error. */
  readonly kind: "output" | "log" | "folder" | "environment";
  /** The text that it wrote, or the folder or variable that it changed. */
  readonly what: string;
}

type Method = (...args: unknown[]) => unknown;
type Owner = Readonly<Record<string, unknown>>;

const scope = new AsyncLocalStorage<(touch: ProcessChange) => void>();
/** The number of observers. The last one restores the process. */
let observerCount = 0;
let restorers: readonly (() => void)[] = [];

/**
 * Runs `work`, and returns what it printed, and its changes of the working directory and the
 * environment. Other code does not count. All functions work as usual.
 */
export async function observeProcess(work: () => Promise<void>): Promise<readonly ProcessChange[]> {
  const touches: ProcessChange[] = [];
  if (observerCount === 0) restorers = watchProcess();
  observerCount += 1;
  try {
    await scope.run((touch) => void touches.push(touch), work);
  } finally {
    observerCount -= 1;
    if (observerCount === 0) for (const restore of restorers) restore();
  }
  return touches;
}

/**
 * The methods of a console, which may not write to `process.stdout` and `process.stderr`, as in a
 * test runner.
 */
const consoleMethods = {
  output: ["log", "info", "debug", "table", "dir"],
  log: ["error", "warn", "trace"],
} as const;

function watchProcess(): readonly (() => void)[] {
  const { env } = process;
  process.env = new Proxy(env, {
    set(target, name, value: unknown) {
      if (target[String(name)] !== value) recordChange("environment", String(name));
      return Reflect.set(target, name, value);
    },
    deleteProperty(target, name) {
      if (name in target) recordChange("environment", String(name));
      return Reflect.deleteProperty(target, name);
    },
  });
  return [
    () => void (process.env = env),
    watchMethod(process, "chdir", (folder) => recordChange("folder", String(folder))),
    watchMethod(process.stdout, "write", (text) => recordChange("output", toText(text))),
    watchMethod(process.stderr, "write", (text) => recordChange("log", toText(text))),
    ...(["output", "log"] as const).flatMap((kind) =>
      consoleMethods[kind].map((name) =>
        watchMethod(console, name, (...texts) => recordChange(kind, texts.map(toText).join(" "))),
      ),
    ),
  ];
}

function watchMethod(owner: object, name: string, note: (...args: unknown[]) => void): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  const method = (owner as Owner)[name] as Method;
  const watched = function (this: unknown, ...args: unknown[]): unknown {
    note(...args);
    // A console writes to standard output itself, which must not count twice.
    return scope.exit(() => Reflect.apply(method, this, args));
  };
  Object.defineProperty(owner, name, { value: watched, writable: true, configurable: true });
  return () => {
    // Other code has replaced the method meanwhile and calls ours.
    if ((owner as Owner)[name] !== watched) return;
    if (before === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, before);
  };
}

function recordChange(kind: ProcessChange["kind"], what: string): void {
  scope.getStore()?.({ kind, what });
}

function toText(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === "string" ? value : inspect(value, { depth: 6 });
}
