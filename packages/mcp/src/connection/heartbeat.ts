import type { Clock, ClockTimer } from "@toolweave/core";

/** Milliseconds of silence after which a server is asked whether it is there. */
const everyMs = 30_000;

/** Milliseconds that it has to answer. */
const patienceMs = 10_000;

/** Questions without an answer, one after the other, after which it counts as lost. */
const mostMissed = 3;

/** What a heartbeat listens to. */
export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Asks once: resolves or rejects when there is an answer, whatever it is. */
  ping(signal: AbortSignal): Promise<unknown>;
  /** Nothing is under way: a server that works on a call may have no time for questions. */
  isIdle(): boolean;
  /** Called once, after the last question without an answer. */
  onLost(): void;
}

/** Asks a server from time to time whether it is there (`ping`, up to 2025-11-25). */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #timer: ClockTimer | undefined;
  #missed = 0;
  #stopped = false;

  /** Begins at once. */
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
    this.#missed = !isIdle() || (await this.#answers()) ? 0 : this.#missed + 1;
    if (this.#stopped) return;
    if (this.#missed < mostMissed) this.#wait();
    else onLost();
  }

  async #answers(): Promise<boolean> {
    const { clock, ping } = this.#options;
    const late = new AbortController();
    const timer = clock.setTimeout(() => late.abort(), patienceMs);
    timer.unref?.();
    await ping(late.signal).catch(() => {});
    clock.clearTimeout(timer);
    return !late.signal.aborted;
  }
}
