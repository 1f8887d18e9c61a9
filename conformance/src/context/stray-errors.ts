import { AsyncLocalStorage } from "node:async_hooks";

type StrayEvent = "unhandledRejection" | "uncaughtException";
type StrayListener = (error: unknown, detail: unknown) => void;

const watching = new Set<StrayErrors>();

/** What listened before the first one began to watch: it goes on hearing of what is not ours. */
const displaced = new Map<StrayEvent, readonly StrayListener[]>();

const makers = new AsyncLocalStorage<object>();

/** Runs `work`: what it makes is `maker`'s, and so is what escapes of it, then and later. */
export function madeBy<T>(maker: object, work: () => T): T {
  return makers.run(maker, work);
}

/** Runs `work`; what escapes meanwhile of it or of what `maker` has made is kept from doing harm. */
export async function sheltered<T>(maker: object, work: () => Promise<T>): Promise<T> {
  using errors = new StrayErrors(maker);
  const result = await errors.run(work);
  await someTurns();
  return result;
}

/**
 * Catches what a piece of code lets escape: rejections that nobody handles, errors that are thrown
 * where nobody can catch them. They would end the process. What others let escape goes its way.
 */
export class StrayErrors implements Disposable {
  readonly #scope = new AsyncLocalStorage<true>();
  readonly #caught: unknown[] = [];

  readonly #maker: object | undefined;
  /** It takes only what no other one does. */
  readonly isLast: boolean;

  /**
   * @param maker what escapes of what it has made (`madeBy`) is caught, too.
   * @param isLast it takes only what no other one does.
   */
  constructor(maker?: object, isLast = false) {
    this.#maker = maker;
    this.isLast = isLast;
    if (watching.size === 0) {
      displace("unhandledRejection");
      displace("uncaughtException");
    }
    watching.add(this);
  }

  /** What has escaped so far. */
  get caught(): readonly unknown[] {
    return this.#caught;
  }

  /** Runs `work`; what escapes of it is caught, then and later. */
  run<T>(work: () => T): T {
    return this.#scope.run(true, work);
  }

  /** Stops watching. */
  [Symbol.dispose](): void {
    if (watching.delete(this) && watching.size === 0) {
      giveBack("unhandledRejection");
      giveBack("uncaughtException");
    }
  }

  /** Keeps the error if it is one of its own. */
  take(error: unknown): boolean {
    const isMade = this.#maker !== undefined && makers.getStore() === this.#maker;
    if (this.#scope.getStore() !== true && !isMade) return false;
    this.#caught.push(error);
    return true;
  }
}

/** Some turns of the event loop: what escapes is reported after the turn in which it does. */
export async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const ours: Readonly<Record<StrayEvent, StrayListener>> = {
  unhandledRejection: (error, detail) => pass("unhandledRejection", error, detail),
  uncaughtException: (error, detail) => pass("uncaughtException", error, detail),
};

function pass(event: StrayEvent, error: unknown, detail: unknown): void {
  const all = [...watching].toSorted((a, b) => Number(a.isLast) - Number(b.isLast));
  for (const errors of all) if (errors.take(error)) return;
  const others = displaced.get(event) ?? [];
  // Nobody listened: it ends the process, as it would have without us.
  if (others.length === 0) throw error;
  for (const other of others) Reflect.apply(other, process, [error, detail]);
}

function displace(event: StrayEvent): void {
  displaced.set(event, process.rawListeners(event as "uncaughtException") as StrayListener[]);
  process.removeAllListeners(event);
  process.on(event as "uncaughtException", ours[event]);
}

function giveBack(event: StrayEvent): void {
  process.off(event, ours[event]);
  // What began to listen meanwhile stays, after those that were there before.
  const later = process.rawListeners(event as "uncaughtException") as StrayListener[];
  process.removeAllListeners(event);
  for (const listener of [...(displaced.get(event) ?? []), ...later]) {
    process.on(event as "uncaughtException", listener);
  }
  displaced.delete(event);
}
