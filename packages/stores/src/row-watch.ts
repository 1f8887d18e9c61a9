import type { ClockTimer } from "@toolweave/core";
import { systemClock } from "@toolweave/core/adapter";
import type { Timers } from "./leases.ts";

/** Milliseconds between two reads of watched rows, if the store has no other way to find changes. */
const defaultPollMs = 100;

interface Watcher {
  readonly id: string;
  /** The state when the wait began; `undefined`: not read yet. */
  state: string | undefined;
  readonly end: () => void;
}

/**
 * Waits for changes of rows that other processes write: by polling, with one timer and one read for all. A store that is
 * notified of changes ends the waits earlier.
 */
export class RowWatch {
  readonly #readStates: (ids: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>;
  readonly #timers: Timers;
  readonly #pollMs: () => number;
  readonly #watchers = new Map<string, Set<Watcher>>();
  /** Watchers whose row is read next, apart from the others. */
  readonly #unread = new Set<Watcher>();
  #isReading = false;
  #timer: ClockTimer | undefined;
  #stopped = false;

  /**
   * @param readStates reads the rows; the state that it returns differs when a row has changed.
   * @param options `pollMs` returns the time until the next read of all rows. Default: 100.
   */
  constructor(
    readStates: (ids: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>,
    options: { readonly clock: Timers | undefined; readonly pollMs?: () => number },
  ) {
    this.#readStates = readStates;
    this.#timers = options.clock ?? systemClock;
    this.#pollMs = options.pollMs ?? (() => defaultPollMs);
  }

  /** Resolves when the row has changed since the call, may have changed, or the signal is aborted. */
  watch(id: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        signal.removeEventListener("abort", end);
        this.#remove(watcher);
        resolve();
      };
      const watcher: Watcher = { id, state: undefined, end };
      const watchers = this.#watchers.get(id) ?? new Set();
      this.#watchers.set(id, watchers.add(watcher));
      signal.addEventListener("abort", end);
      // At once: a change after this must be noticed.
      this.#unread.add(watcher);
      void this.#readUnread();
      this.#schedule();
    });
  }

  /**
   * Takes in the state of a row that was read for a caller. It may be older than the one that its wait has begun with:
   * then the row has changed since.
   */
  observe(id: string, state: string): void {
    for (const watcher of [...(this.#watchers.get(id) ?? [])]) compare(watcher, state);
  }

  /** True while there is a wait for the row. */
  has(id: string): boolean {
    return this.#watchers.has(id);
  }

  /** Ends the waits for a row that has changed. */
  changed(id: string): void {
    for (const { end } of [...(this.#watchers.get(id) ?? [])]) end();
  }

  /** Reads all rows now, and not only when the time has come. */
  poll(): void {
    this.#rest();
    void this.#read(this.#all()).then(() => this.#schedule());
  }

  /** Ends all waits. */
  stop(): void {
    this.#stopped = true;
    for (const { end } of this.#all()) end();
  }

  #all(): Watcher[] {
    return [...this.#watchers.values()].flatMap((watchers) => [...watchers]);
  }

  #remove(watcher: Watcher): void {
    const watchers = this.#watchers.get(watcher.id);
    watchers?.delete(watcher);
    this.#unread.delete(watcher);
    if (watchers?.size === 0) this.#watchers.delete(watcher.id);
    if (this.#watchers.size === 0) this.#rest();
  }

  /** One read at a time: watchers that come meanwhile are read together. */
  async #readUnread(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#unread.size > 0) {
      const unread = [...this.#unread];
      this.#unread.clear();
      await this.#read(unread);
    }
    this.#isReading = false;
  }

  async #read(watchers: readonly Watcher[]): Promise<void> {
    if (watchers.length === 0) return;
    try {
      const states = await this.#readStates(new Set(watchers.map(({ id }) => id)));
      for (const watcher of watchers) compare(watcher, states.get(watcher.id) ?? "");
    } catch {
      // The store is unavailable: the callers read the row, and get the error.
      for (const { end } of watchers) end();
    }
  }

  #schedule(): void {
    if (this.#stopped || this.#watchers.size === 0) return;
    this.#timer ??= this.#timers.setTimeout(() => {
      this.#timer = undefined;
      this.poll();
    }, this.#pollMs());
  }

  #rest(): void {
    if (this.#timer !== undefined) this.#timers.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function compare(watcher: Watcher, state: string): void {
  watcher.state ??= state;
  if (watcher.state !== state) watcher.end();
}
