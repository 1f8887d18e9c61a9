import { toOwner, quotaOwner } from "../contract/caller.ts";
import { systemClock, type Clock } from "../time/clock.ts";
import type { Interruption } from "../contract/interruption.ts";
import { checkedQuota, type MemoryQuota } from "../limits/memory-quota.ts";
import { emitProcessWarning } from "../contract/process-warning.ts";
import { ToolError } from "../contract/tool-error.ts";
import type {
  ClaimResult,
  FinishedResult,
  PendingCallRecord,
  PendingCallStore,
} from "./pending-call-store.ts";

/** Maximum number of pending calls: a model that keeps asking must not fill the memory. */
const maxCalls = 10_000;
const maxFinished = 100_000;
/** Maximum characters of all results together; beyond, the oldest are dropped. */
const maxResultCharacters = 16_777_216;

/**
 * Stores pending calls in this process: 10,000 at most, and 2,500 of one owner (`limit_exceeded` beyond). A call that
 * was never added here, as one of another process with the same key, can be claimed here once. Each store ensures this
 * only for itself: processes that resume each other's calls need a shared store.
 *
 * @param clock for expiry. Default: the platform's.
 * @throws ToolError `invalid_configuration` for a quota that is not valid.
 */
export function memoryPendingCalls(
  clock: Clock = systemClock,
  quota: MemoryQuota = {},
): PendingCallStore {
  return new MemoryPendingCalls(clock, checkedQuota("memoryPendingCalls", quota));
}

/**
 * The store of an executor to which the host passed none. It warns once of a claimed call that was never added here:
 * another process may have run the call.
 */
export function localPendingCalls(clock: Clock): PendingCallStore {
  return new MemoryPendingCalls(clock, checkedQuota("memoryPendingCalls", {}), true);
}

function warnOfUnsharedStore(toolName: string): void {
  emitProcessWarning(
    "TOOLWEAVE_UNSHARED_STORE",
    `A call of ${toolName} from another process was resumed, and this executor has a store of pending calls of its ` +
      `own: this process cannot know whether another one has run the call.`,
    "Pass the same pendingCalls, such as those of sqliteStore of @toolweave/stores, to every executor with this key.",
  );
}

interface StoredCall extends PendingCallRecord {
  /** The owner whose quota it counts against. */
  readonly owner: string;
}

/** A call that has ended. */
interface FinishedCall {
  readonly expiresAt: number;
  /** The beginning of its state. */
  readonly state: string;
}

/** Characters of a state, which begins with random ones, that tell two calls apart. */
const comparedLength = 64;

class MemoryPendingCalls implements PendingCallStore {
  readonly #clock: Clock;
  readonly #maxPerOwner: number;
  #warnsOfForeign: boolean;
  readonly #calls = new Map<string, StoredCall>();
  /** Number of pending calls of each owner. */
  readonly #counts = new Map<string, number>();
  /** Each finished call, until it expires: it must not be taken for a new one. */
  readonly #finished = new Map<string, FinishedCall>();
  /** Results of finished calls, each with its expiry; oldest first. */
  readonly #results = new Map<string, { readonly sealed: string; readonly until: number }>();
  #resultCharacters = 0;
  /** Finished calls that expire no later than this may have been forgotten. */
  #forgottenUntil = -Infinity;

  /** @param warnsOfForeign emits a process warning for the first claim of a call that was never added. */
  constructor(clock: Clock, maxPerOwner: number, warnsOfForeign = false) {
    this.#clock = clock;
    this.#maxPerOwner = maxPerOwner;
    this.#warnsOfForeign = warnsOfForeign;
  }

  add(interruption: Interruption, owner: string = toOwner({})): void {
    this.#expire();
    if (this.#isKnown(interruption)) return;
    const counted = quotaOwner(owner);
    if ((this.#counts.get(counted) ?? 0) >= this.#maxPerOwner) {
      throw new ToolError(
        "limit_exceeded",
        `${this.#maxPerOwner} calls of this caller wait for a person already, and no more may: have them answered first, or raise maxPerOwner of the store.`,
      );
    }
    if (this.#calls.size >= maxCalls) {
      throw new ToolError(
        "limit_exceeded",
        `${maxCalls} calls wait for a person already: have them answered first.`,
      );
    }
    this.#set({ interruption, status: "pending", owner: counted });
  }

  claim(interruption: Interruption): ClaimResult {
    this.#expire();
    const { id, expiresAt } = interruption;
    const known = this.#calls.get(id);
    if (known?.status === "claimed") return "running";
    if (this.#finished.has(id)) return "finished";
    if (expiresAt <= this.#clock.now()) return "expired";
    if (known === undefined && expiresAt <= this.#forgottenUntil) return "unknown";
    if (known === undefined && this.#warnsOfForeign) {
      this.#warnsOfForeign = false;
      warnOfUnsharedStore(interruption.call.name);
    }
    this.#set({ interruption, status: "claimed", owner: known?.owner ?? toOwner({}) });
    return "claimed";
  }

  finish(id: string, result?: FinishedResult): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#delete(id);
    if (result !== undefined) this.#addResult(id, result);
    const { expiresAt, state } = call.interruption;
    this.#finished.set(id, { expiresAt, state: state.slice(0, comparedLength) });
    if (this.#finished.size <= maxFinished) return;
    const [oldest] = this.#finished;
    if (oldest !== undefined) this.#forget(oldest[0], oldest[1].expiresAt);
  }

  finishedResult(id: string): string | undefined {
    this.#expire();
    return this.#results.get(id)?.sealed;
  }

  get(id: string): PendingCallRecord | undefined {
    const kept = this.#calls.get(id);
    return kept && toRecord(kept);
  }

  list(): readonly PendingCallRecord[] {
    this.#expire();
    return Array.from(this.#calls.values(), toRecord);
  }

  now(): number {
    return this.#clock.now();
  }

  /**
   * An interruption that is added again stays as it is: a claim must not be undone.
   *
   * @throws ToolError `internal` if another interruption has the id.
   */
  #isKnown({ id, state }: Interruption): boolean {
    const known = this.#calls.get(id)?.interruption.state ?? this.#finished.get(id)?.state;
    if (known === undefined) return false;
    if (known.slice(0, comparedLength) === state.slice(0, comparedLength)) return true;
    throw new ToolError(
      "internal",
      `The interruption "${id}" is stored already, with another state: give each an id of its own.`,
    );
  }

  #set(call: StoredCall): void {
    const { id } = call.interruption;
    this.#count(this.#calls.get(id), -1);
    this.#count(call, 1);
    this.#calls.set(id, call);
  }

  #delete(id: string): void {
    this.#count(this.#calls.get(id), -1);
    this.#calls.delete(id);
  }

  #addResult(id: string, { sealed, maxAgeMs }: FinishedResult): void {
    this.#expire();
    this.#dropResult(id);
    this.#results.set(id, { sealed, until: this.#clock.now() + maxAgeMs });
    this.#resultCharacters += sealed.length;
    for (const oldest of this.#results.keys()) {
      if (this.#resultCharacters <= maxResultCharacters) break;
      this.#dropResult(oldest);
    }
  }

  #dropResult(id: string): void {
    this.#resultCharacters -= this.#results.get(id)?.sealed.length ?? 0;
    this.#results.delete(id);
  }

  /** Only pending calls count: a claimed call does not use the owner's quota. */
  #count(call: StoredCall | undefined, change: 1 | -1): void {
    if (call?.status !== "pending") return;
    const count = (this.#counts.get(call.owner) ?? 0) + change;
    if (count > 0) this.#counts.set(call.owner, count);
    else this.#counts.delete(call.owner);
  }

  /** Forgets that a call is finished. The call's own expiry does not protect it: a clock may be set back. */
  #forget(id: string, expiresAt: number): void {
    this.#finished.delete(id);
    this.#forgottenUntil = Math.max(this.#forgottenUntil, expiresAt);
  }

  /** Drops calls and results that have expired; mostly the oldest. */
  #expire(): void {
    const now = this.#clock.now();
    for (const [id, { interruption, status }] of this.#calls) {
      if (interruption.expiresAt > now) break;
      if (status === "pending") this.#delete(id);
    }
    for (const [id, { expiresAt }] of this.#finished) {
      if (expiresAt > now) break;
      this.#forget(id, expiresAt);
    }
    for (const [id, { until }] of this.#results) {
      if (until > now) break;
      this.#dropResult(id);
    }
  }
}

function toRecord({ interruption, status }: StoredCall): PendingCallRecord {
  return { interruption, status };
}
