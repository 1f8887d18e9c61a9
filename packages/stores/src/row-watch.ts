import type { Clock, ClockTimer } from "@toolweave/core";

/** Milliseconds between two reads of a watched row. */
const pollMs = 100;

interface Watcher {
  readonly id: string;
  /** The state when the wait began; `undefined`: not read yet. */
  state: string | undefined;
  readonly end: () => void;
}

/** Waits for changes of rows that other processes write: by polling, with one timer for all. */
export class RowWatch {
  readonly #stateOf: (ids: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>;
  readonly #timers: Pick<Clock, "setTimeout" | "clearTimeout">;
  readonly #watchers = new Set<Watcher>();
  #timer: ClockTimer | undefined;
  #stopped = false;

  /** @param stateOf reads the rows; what it returns differs when a row has changed. */
  constructor(
    clock: Clock | undefined,
    stateOf: (ids: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>,
  ) {
    this.#timers = clock ?? { setTimeout, clearTimeout: (timer) => clearTimeout(timer as never) };
    this.#stateOf = stateOf;
  }

  /** Resolves when the row has changed since the call, may have changed, or the signal is aborted. */
  watch(id: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        signal.removeEventListener("abort", end);
        this.#watchers.delete(watcher);
        if (this.#watchers.size === 0) this.#rest();
        resolve();
      };
      const watcher: Watcher = { id, state: undefined, end };
      this.#watchers.add(watcher);
      signal.addEventListener("abort", end);
      // At once: the caller reads the row next, and a change after that must be noticed.
      void this.#read([watcher]);
      this.#schedule();
    });
  }

  /** Ends all waits. */
  stop(): void {
    this.#stopped = true;
    for (const { end } of [...this.#watchers]) end();
  }

  async #read(read: readonly Watcher[]): Promise<void> {
    try {
      const states = await this.#stateOf(new Set(read.map(({ id }) => id)));
      for (const watcher of read) {
        const state = states.get(watcher.id) ?? "";
        watcher.state ??= state;
        if (watcher.state !== state) watcher.end();
      }
    } catch {
      // The file is unavailable: the callers read the row, and get the error.
      for (const { end } of read) end();
    }
  }

  #schedule(): void {
    if (this.#stopped || this.#watchers.size === 0) return;
    this.#timer ??= this.#timers.setTimeout(() => {
      this.#timer = undefined;
      void this.#read([...this.#watchers]).then(() => this.#schedule());
    }, pollMs);
    this.#timer.unref?.();
  }

  #rest(): void {
    if (this.#timer !== undefined) this.#timers.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
