import type { Clock, ClockTimer } from "@toolweave/core";
import { systemClock } from "@toolweave/core/adapter";

/** The part of a clock that leases need. */
export type Timers = Pick<Clock, "setTimeout" | "clearTimeout">;

/** The duration of leases, and the timers that renew them. */
export interface LeaseOptions {
  readonly leaseMs: number;
  /** Default: the system's. */
  readonly clock: Timers | undefined;
}

/**
 * Shows other processes that this one is alive with its claims: a lease on each, renewed three times per lease period,
 * by one timer that runs while there is a lease to renew.
 */
export class Leases {
  readonly #ms: number;
  readonly #timers: Timers;
  readonly #renew: (ids: ReadonlySet<string>) => Promise<unknown>;
  readonly #held = new Set<string>();
  #timer: ClockTimer | undefined;
  #stopped = false;

  /** @param renew writes the new ends of all leases, in one transaction. */
  constructor(
    { leaseMs, clock }: LeaseOptions,
    renew: (ids: ReadonlySet<string>) => Promise<unknown>,
  ) {
    this.#ms = leaseMs;
    this.#timers = clock ?? systemClock;
    this.#renew = renew;
  }

  /** The expiry of a lease that begins at `now`. */
  end(now: number): number {
    return now + this.#ms;
  }

  has(id: string): boolean {
    return this.#held.has(id);
  }

  hold(id: string): void {
    this.#held.add(id);
    this.#schedule();
  }

  drop(id: string): void {
    this.#held.delete(id);
    if (this.#held.size === 0) this.#rest();
  }

  /** Stops all renewals. */
  stop(): void {
    this.#stopped = true;
    this.#rest();
  }

  #rest(): void {
    if (this.#timer !== undefined) this.#timers.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer ??= this.#timers.setTimeout(() => {
      this.#timer = undefined;
      this.#renewAll();
      this.#schedule();
    }, this.#ms / 3);
    this.#timer.unref?.();
  }

  #renewAll(): void {
    // Two more renewals follow before the lease expires; an expired lease is correct: the state is unknown.
    this.#renew(this.#held).catch(() => {});
  }
}
