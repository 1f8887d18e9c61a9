import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";

/** Something that a piece of code did to the process that it shares with its host. */
export interface ProcessTouch {
  /** `output`: standard output; `log`: standard error. */
  readonly kind: "output" | "log" | "folder" | "environment";
  /** What it wrote, or the folder or variable that it changed. */
  readonly what: string;
}

type Method = (...args: unknown[]) => unknown;
type Owner = Readonly<Record<string, unknown>>;

const scope = new AsyncLocalStorage<(touch: ProcessTouch) => void>();
/** How many watch; what they share is put back by the last. */
let watching = 0;
let undo: readonly (() => void)[] = [];

/**
 * Runs `work`, and tells what it printed, and how it changed the working directory
 * and the environment. What others do at the same time does not count. Everything works on as usual.
 */
export async function processTouches(work: () => Promise<void>): Promise<readonly ProcessTouch[]> {
  const touches: ProcessTouch[] = [];
  if (watching === 0) undo = watchProcess();
  watching += 1;
  try {
    await scope.run((touch) => void touches.push(touch), work);
  } finally {
    watching -= 1;
    if (watching === 0) for (const restore of undo) restore();
  }
  return touches;
}

/** A console can have a way of its own to them, as in a test runner. */
const printing = {
  output: ["log", "info", "debug", "table", "dir"],
  log: ["error", "warn", "trace"],
} as const;

function watchProcess(): readonly (() => void)[] {
  const { env } = process;
  process.env = new Proxy(env, {
    set(target, name, value: unknown) {
      if (target[String(name)] !== value) touched("environment", String(name));
      return Reflect.set(target, name, value);
    },
    deleteProperty(target, name) {
      if (name in target) touched("environment", String(name));
      return Reflect.deleteProperty(target, name);
    },
  });
  return [
    () => void (process.env = env),
    watchMethod(process, "chdir", (folder) => touched("folder", String(folder))),
    watchMethod(process.stdout, "write", (text) => touched("output", textOf(text))),
    watchMethod(process.stderr, "write", (text) => touched("log", textOf(text))),
    ...(["output", "log"] as const).flatMap((kind) =>
      printing[kind].map((name) =>
        watchMethod(console, name, (...said) => touched(kind, said.map(textOf).join(" "))),
      ),
    ),
  ];
}

function watchMethod(owner: object, name: string, note: (...args: unknown[]) => void): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  const method = (owner as Owner)[name] as Method;
  const watched = function (this: unknown, ...args: unknown[]): unknown {
    note(...args);
    // A console writes to standard output itself: that is one thing, not two.
    return scope.exit(() => Reflect.apply(method, this, args));
  };
  Object.defineProperty(owner, name, { value: watched, writable: true, configurable: true });
  return () => {
    // Somebody else has put another one in its place, which goes on to ours.
    if ((owner as Owner)[name] !== watched) return;
    if (before === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, before);
  };
}

function touched(kind: ProcessTouch["kind"], what: string): void {
  scope.getStore()?.({ kind, what });
}

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === "string" ? value : inspect(value, { depth: 6 });
}
