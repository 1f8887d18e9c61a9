/** Number of lines without a message after which a process is no server. A banner or a package manager prints fewer. */
const maxLines = 50;

/** Milliseconds that a process has to send its first message after a line that is none. */
const firstMessageMs = 10_000;

/**
 * Finds out early that a process speaks no JSON-RPC: it prints text, and sends no message. Without text the timeout of
 * the connection decides, since a server may start slowly.
 */
export class FirstMessage {
  readonly #onMissing: () => void;
  #lines = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param onMissing Called once, if the process speaks no JSON-RPC. */
  constructor(onMissing: () => void) {
    this.#onMissing = onMissing;
  }

  /** Handles a line that is no message. */
  onInvalidLine(): void {
    if (this.#isOver) return;
    this.#lines += 1;
    this.#timer ??= setTimeout(() => this.#fail(), firstMessageMs).unref();
    if (this.#lines >= maxLines) this.#fail();
  }

  /** Stops: there was a message, or the connection has ended. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #fail(): void {
    this.stop();
    this.#onMissing();
  }
}
