/** Milliseconds between two notifications. */
const pauseMs = 250;

/** Coalesces changes: the first is notified at once, further ones a few times a second at most. */
export class ListChangeCoalescer {
  readonly #notify: (what: string) => void;
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #notifiedAt = -Infinity;
  #isOver = false;

  constructor(notify: (what: string) => void) {
    this.#notify = notify;
  }

  add(what: string): void {
    if (this.#isOver || this.#waiting.has(what)) return;
    this.#waiting.add(what);
    if (this.#timer !== undefined) return;
    const wait = this.#notifiedAt + pauseMs - performance.now();
    this.#timer = setTimeout(() => this.#flush(), Math.max(0, wait));
    this.#timer.unref();
  }

  /** Stops; pending changes are dropped. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #flush(): void {
    this.#timer = undefined;
    this.#notifiedAt = performance.now();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const what of waiting) this.#notify(what);
  }
}
