import { steadyClock, type ClockTimer } from "../time/clock.ts";

/** Milliseconds that a source has to list its tools, before calls of the others' tools no longer wait for it. */
const graceMs = 1_000;

/** The sources of a registry that have not listed their tools yet. */
export class SourceLoading {
  readonly #pending = new Set<Promise<void>>();
  /** During it, the order of the sources decides which one has a name, and not their speed. */
  #grace: Promise<void> | undefined;
  #endGrace: (() => void) | undefined;
  #timer: ClockTimer | undefined;

  /** True while a source has not listed its tools yet. */
  get isPending(): boolean {
    return this.#pending.size > 0;
  }

  /** True until all sources have loaded, or have had their time. */
  get isOrdered(): boolean {
    return this.#grace !== undefined;
  }

  /** Resolves when no source is loading. */
  async settle(): Promise<void> {
    while (this.isPending) await Promise.all(this.#pending);
  }

  /**
   * Resolves when calls need not wait: no source is loading, or what they need is there and the other sources have had
   * their time.
   */
  async whenThere(isThere: () => boolean): Promise<void> {
    while (this.isPending) {
      const grace = this.#grace;
      const there = isThere();
      if (there && grace === undefined) return;
      await Promise.race([...this.#pending, ...(there && grace !== undefined ? [grace] : [])]);
    }
  }

  /**
   * Adds a source that is loading.
   *
   * @param loading never rejects.
   * @param onGraceEnd called when the time of the sources is over before they have loaded.
   * @param onEnd called when `loading` has ended.
   */
  add(loading: Promise<void>, onGraceEnd: () => void, onEnd: () => void): void {
    const tracked = loading.finally(() => {
      this.#pending.delete(tracked);
      if (!this.isPending) this.#stopWaiting();
      onEnd();
    });
    this.#pending.add(tracked);
    this.#grace ??= new Promise((resolve) => (this.#endGrace = resolve));
    if (this.#timer !== undefined) steadyClock.clearTimeout(this.#timer);
    this.#timer = steadyClock.setTimeout(() => {
      onGraceEnd();
      this.#stopWaiting();
    }, graceMs);
  }

  #stopWaiting(): void {
    if (this.#timer !== undefined) steadyClock.clearTimeout(this.#timer);
    this.#endGrace?.();
    this.#grace = undefined;
  }
}
