import { AsyncLocalStorage } from "node:async_hooks";

type Listener = (...args: unknown[]) => void;

const watching = new Set<ProcessListeners>();

/** One for all who watch: `process` warns of many. */
const note = (event: string | symbol, listener: Listener): void => {
  for (const listeners of watching) listeners.note(event, listener);
};

/** Watches which listeners a piece of code adds to `process`. What others add does not count. */
export class ProcessListeners implements Disposable {
  readonly #scope = new AsyncLocalStorage<true>();
  readonly #added: { readonly event: string | symbol; readonly listener: Listener }[] = [];

  constructor() {
    if (watching.size === 0) process.on("newListener", note);
    watching.add(this);
  }

  /** Runs `work`; what it adds counts, then and later. */
  run<T>(work: () => T): T {
    return this.#scope.run(true, work);
  }

  /** Takes it down when it is one of its own. */
  note(event: string | symbol, listener: Listener): void {
    if (this.#scope.getStore() === true) this.#added.push({ event, listener });
  }

  /** The events that it still listens to, one entry per listener. */
  left(): readonly string[] {
    return this.#added
      .filter(({ event, listener }) => process.listeners(event as "exit").includes(listener))
      .map(({ event }) => String(event));
  }

  /** Stops watching. */
  [Symbol.dispose](): void {
    watching.delete(this);
    if (watching.size === 0) process.off("newListener", note);
    this.#added.length = 0;
  }
}
