import { AsyncLocalStorage } from "node:async_hooks";

type EscapeEvent = "unhandledRejection" | "uncaughtException";
type EscapeListener = (error: unknown, detail: unknown) => void;

const activeWatchers = new Set<EscapedErrors>();

/**
 * The listeners that were installed before the first watcher. They still receive all unclaimed
 * errors.
 */
const replacedListeners = new Map<EscapeEvent, readonly EscapeListener[]>();

const ownerScope = new AsyncLocalStorage<object>();

/**
 * Runs `work`. Everything that it creates belongs to `maker`, and so do the errors that escape from
 * it, then and later.
 */
export function runOwnedBy<T>(maker: object, work: () => T): T {
  return ownerScope.run(maker, work);
}

/**
 * Runs `work`. Errors that escape meanwhile from it, or from what `maker` has created, are caught
 * and ignored.
 */
export async function containErrors<T>(maker: object, work: () => Promise<T>): Promise<T> {
  using errors = new EscapedErrors(maker);
  const result = await errors.run(work);
  await waitForTurns();
  return result;
}

/**
 * Catches the errors that escape from a piece of code: unhandled rejections and uncaught
 * exceptions, which would end the process. Errors of other code are passed on.
 */
export class EscapedErrors implements Disposable {
  readonly #scope = new AsyncLocalStorage<true>();
  readonly #caught: unknown[] = [];

  readonly #maker: object | undefined;
  /** True for the watcher that claims only what no other watcher claims. */
  readonly isFallback: boolean;

  /**
   * @param maker errors of everything that it has created (`runOwnedBy`) are caught as well.
   * @param isLast the watcher claims only what no other watcher claims.
   */
  constructor(maker?: object, isLast = false) {
    this.#maker = maker;
    this.isFallback = isLast;
    if (activeWatchers.size === 0) {
      replaceListeners("unhandledRejection");
      replaceListeners("uncaughtException");
    }
    activeWatchers.add(this);
  }

  /** The errors that have escaped so far. */
  get caught(): readonly unknown[] {
    return this.#caught;
  }

  /** Runs `work`. Errors that escape from it are caught, then and later. */
  run<T>(work: () => T): T {
    return this.#scope.run(true, work);
  }

  /** Stops watching. */
  [Symbol.dispose](): void {
    if (activeWatchers.delete(this) && activeWatchers.size === 0) {
      restoreListeners("unhandledRejection");
      restoreListeners("uncaughtException");
    }
  }

  /** Stores the error and returns true if it belongs to this watcher. */
  claim(error: unknown): boolean {
    const isMade = this.#maker !== undefined && ownerScope.getStore() === this.#maker;
    if (this.#scope.getStore() !== true && !isMade) return false;
    this.#caught.push(error);
    return true;
  }
}

/**
 * Waits for some turns of the event loop: an escaped error is reported after the turn in which it
 * occurs.
 */
export async function waitForTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const eventListeners: Readonly<Record<EscapeEvent, EscapeListener>> = {
  unhandledRejection: (error, detail) => dispatchError("unhandledRejection", error, detail),
  uncaughtException: (error, detail) => dispatchError("uncaughtException", error, detail),
};

function dispatchError(event: EscapeEvent, error: unknown, detail: unknown): void {
  const all = [...activeWatchers].toSorted((a, b) => Number(a.isFallback) - Number(b.isFallback));
  for (const errors of all) if (errors.claim(error)) return;
  const others = replacedListeners.get(event) ?? [];
  // Without another listener the error ends the process, as it would without the kit.
  if (others.length === 0) throw error;
  for (const other of others) Reflect.apply(other, process, [error, detail]);
}

function replaceListeners(event: EscapeEvent): void {
  replacedListeners.set(
    event,
    process.rawListeners(event as "uncaughtException") as EscapeListener[],
  );
  process.removeAllListeners(event);
  process.on(event as "uncaughtException", eventListeners[event]);
}

function restoreListeners(event: EscapeEvent): void {
  process.off(event, eventListeners[event]);
  // Listeners that were added meanwhile stay, after those that were there before.
  const later = process.rawListeners(event as "uncaughtException") as EscapeListener[];
  process.removeAllListeners(event);
  for (const listener of [...(replacedListeners.get(event) ?? []), ...later]) {
    process.on(event as "uncaughtException", listener);
  }
  replacedListeners.delete(event);
}
