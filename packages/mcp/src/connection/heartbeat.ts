import type { Clock, ClockTimer } from "@toolweave/core";

/** Milliseconds of silence after which a server is sent a `ping`. */
const everyMs = 30_000;

/** Milliseconds in which it must respond. */
const pingTimeoutMs = 10_000;

/** Number of pings in a row without a response, after which the connection counts as lost. */
const maxMissed = 3;

/** Options of a heartbeat. */
export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Sends one `ping`: settles with the response, whatever it is. */
  ping(signal: AbortSignal): Promise<unknown>;
  /** True if no request is in progress: a busy server may not respond to pings. */
  isIdle(): boolean;
  /** Called once, after the last ping without a response. */
  onLost(): void;
}

/** Sends a `ping` to a server at intervals (up to 2025-11-25). */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #timer: ClockTimer | undefined;
  #missed = 0;
  #stopped = false;

  /** Starts at once. */
  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#wait();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#stopped) return;
    this.#timer = this.#options.clock.setTimeout(() => void this.#beat(), everyMs);
    this.#timer.unref?.();
  }

  async #beat(): Promise<void> {
    const { isIdle, onLost } = this.#options;
    this.#missed = !isIdle() || (await this.#isResponding()) ? 0 : this.#missed + 1;
    if (this.#stopped) return;
    if (this.#missed < maxMissed) this.#wait();
    else onLost();
  }

  async #isResponding(): Promise<boolean> {
    const { clock, ping } = this.#options;
    const timeout = new AbortController();
    const timer = clock.setTimeout(() => timeout.abort(), pingTimeoutMs);
    timer.unref?.();
    await ping(timeout.signal).catch(() => {});
    clock.clearTimeout(timer);
    return !timeout.signal.aborted;
  }
}
