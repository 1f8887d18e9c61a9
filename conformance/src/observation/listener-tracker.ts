import { AsyncLocalStorage } from "node:async_hooks";

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
