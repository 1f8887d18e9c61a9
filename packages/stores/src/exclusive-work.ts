import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Leases, type LeaseOptions } from "./leases.ts";

/** The maximum lease of a lock, in milliseconds: so long others wait for a process that has ended. */
const maxLeaseMs = 10_000;
/** The maximum wait for the work of another process, in milliseconds. */
const maxWaitMs = 60_000;

/** The locks of a store, each with a lease. */
export interface LeasedLocks {
  /** Takes a lock that is free or whose lease has expired. With the same token again, the answer is the same. */
  take(name: string, token: string, leaseMs: number): Promise<boolean>;
  /** Writes the new ends of the leases of these tokens. */
  renew(tokens: ReadonlySet<string>, leaseMs: number): Promise<unknown>;
  release(name: string, token: string): Promise<unknown>;
  /** The error for a lock that was not free for a minute. */
  refusal(): Error;
}

/** Work that is done by one process at a time for each name, over all processes that share the locks. */
export class ExclusiveWork {
  readonly #locks: LeasedLocks;
  readonly #leaseMs: number;
  readonly #maxPauseMs: number;
  /** The locks that this store holds, by token. */
  readonly #leases: Leases;

  constructor(
    locks: LeasedLocks,
    options: LeaseOptions & {
      /** The maximum time between two attempts to take a lock, in milliseconds. */
      readonly maxPauseMs: number;
    },
  ) {
    this.#locks = locks;
    this.#maxPauseMs = options.maxPauseMs;
    const leaseMs = Math.min(options.leaseMs, maxLeaseMs);
    this.#leaseMs = leaseMs;
    this.#leases = new Leases({ ...options, leaseMs }, (tokens) => locks.renew(tokens, leaseMs));
  }

  /** Rejects with the error of the work, or of the locks; the work was not done then. */
  async run(name: string, work: () => Promise<void>): Promise<void> {
    const token = randomUUID();
    const giveUpAt = performance.now() + maxWaitMs;
    while (!(await this.#locks.take(name, token, this.#leaseMs))) {
      if (performance.now() >= giveUpAt) throw this.#locks.refusal();
      await delay(this.#maxPauseMs * (0.5 + Math.random() / 2));
    }
    this.#leases.hold(token);
    try {
      await work();
    } finally {
      this.#leases.drop(token);
      // If it cannot be removed, it expires.
      await this.#locks.release(name, token).catch(() => {});
    }
  }

  /** No lock is renewed any more. */
  stop(): void {
    this.#leases.stop();
  }
}
