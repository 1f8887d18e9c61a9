/** Milliseconds between two times that somebody is told. */
const pauseMs = 250;

/** Passes on that something has changed: at once, and however often it does, a few times a second. */
export class ListChangeCoalescer {
  readonly #tell: (what: string) => void;
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #toldAt = -Infinity;
  #isOver = false;

  constructor(tell: (what: string) => void) {
    this.#tell = tell;
  }

  add(what: string): void {
    if (this.#isOver || this.#waiting.has(what)) return;
    this.#waiting.add(what);
    if (this.#timer !== undefined) return;
    const wait = this.#toldAt + pauseMs - performance.now();
    this.#timer = setTimeout(() => this.#pass(), Math.max(0, wait));
    this.#timer.unref();
  }

  /** Nothing more is passed on. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #pass(): void {
    this.#timer = undefined;
    this.#toldAt = performance.now();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const what of waiting) this.#tell(what);
  }
}
