import { systemClock, type Clock } from "../executor/clock.ts";
import type { Interruption } from "../spec/interruption.ts";
import { ToolError } from "../tool-error.ts";
import type { ClaimResult, PendingCallRecord, PendingCallStore } from "./pending-call-store.ts";

/** More are not kept: whoever makes a model ask without end must not fill the memory. */
const mostCalls = 10_000;
const mostFinished = 100_000;

/**
 * Keeps interrupted calls in this process, 10,000 at most (`limit_exceeded` beyond). A call that it
 * has never seen, as one of another process with the same key, can be claimed here once: at most
 * once for each store, so that processes which resume each other's calls need a store they share.
 *
 * @param clock what expiry goes by. Default: the platform's.
 */
export function memoryPendingCalls(clock: Clock = systemClock): PendingCallStore {
  return new MemoryPendingCalls(clock);
}

class MemoryPendingCalls implements PendingCallStore {
  readonly #clock: Clock;
  readonly #calls = new Map<string, PendingCallRecord>();
  /** When each of the finished ones expires: until then it must not be taken for a new one. */
  readonly #finished = new Map<string, number>();
  /** Of calls that expire no later than this, some that are finished may have been forgotten. */
  #forgottenUntil = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(interruption: Interruption): void {
    this.#expire();
    if (this.#calls.size >= mostCalls) {
      throw new ToolError(
        "limit_exceeded",
        `${mostCalls} calls wait for a person already: have them answered first.`,
      );
    }
    this.#calls.set(interruption.id, { interruption, status: "pending" });
  }

  claim(interruption: Interruption): ClaimResult {
    this.#expire();
    const { id, expiresAt } = interruption;
    const known = this.#calls.get(id);
    if (known?.status === "claimed") return "running";
    if (this.#finished.has(id)) return "finished";
    if (expiresAt <= this.#clock.now()) return "expired";
    if (known === undefined && expiresAt <= this.#forgottenUntil) return "unknown";
    this.#calls.set(id, { interruption, status: "claimed" });
    return "claimed";
  }

  finish(id: string): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    this.#finished.set(id, call.interruption.expiresAt);
    if (this.#finished.size <= mostFinished) return;
    const [oldest] = this.#finished;
    if (oldest !== undefined) this.#forget(...oldest);
  }

  get(id: string): PendingCallRecord | undefined {
    return this.#calls.get(id);
  }

  list(): readonly PendingCallRecord[] {
    this.#expire();
    return [...this.#calls.values()];
  }

  now(): number {
    return this.#clock.now();
  }

  /** Forgets that a call is finished. Its expiry is no guard: a clock may be set back. */
  #forget(id: string, expiresAt: number): void {
    this.#finished.delete(id);
    this.#forgottenUntil = Math.max(this.#forgottenUntil, expiresAt);
  }

  /** Forgets what can no longer be answered; mostly the oldest. */
  #expire(): void {
    const now = this.#clock.now();
    for (const [id, { interruption, status }] of this.#calls) {
      if (interruption.expiresAt > now) break;
      if (status === "pending") this.#calls.delete(id);
    }
    for (const [id, expiresAt] of this.#finished) {
      if (expiresAt > now) break;
      this.#forget(id, expiresAt);
    }
  }
}
