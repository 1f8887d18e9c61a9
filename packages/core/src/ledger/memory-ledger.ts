import { ToolError } from "../contract/tool-error.ts";
import { systemClock, type Clock } from "../time/clock.ts";
import type { CallLedger, LedgerCall, LedgerClaim, LedgerEnd, LedgerEntry } from "./call-ledger.ts";

/** Maximum number of calls: a run without an end must not fill the memory. */
const maxCalls = 100_000;
/** Maximum characters of all outcomes together. */
const maxTextLength = 64 * 2 ** 20;
/** Milliseconds after its last change for which a call is remembered: 7 days. */
const lifetimeMs = 7 * 24 * 60 * 60 * 1000;

/**
 * A ledger in this process: 100,000 calls at most, with 64 Mi characters of outcomes, each for 7 days. If there is no
 * room, `begin` fails with `limit_exceeded`: a call that is forgotten could run twice.
 *
 * For tests, and for executors of one process. Use the ledger of a store for calls that survive their process.
 *
 * @param clock for expiry. Default: the platform's.
 */
export function memoryLedger(clock: Clock = systemClock): CallLedger {
  return new MemoryLedger(clock);
}

interface StoredCall {
  readonly tool: string;
  readonly argumentsHash: string;
  readonly token: string;
  readonly status: "running" | "suspended" | "ended" | "unknown";
  readonly outcome: string;
  readonly expiresAt: number;
}

class MemoryLedger implements CallLedger {
  readonly #clock: Clock;
  /** In order of the last change. */
  readonly #calls = new Map<string, StoredCall>();
  /** The highest epoch that has begun a call, by run, in order of the last call that has begun. */
  readonly #epochs = new Map<string, { readonly epoch: number; readonly expiresAt: number }>();
  #text = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(call: LedgerCall): LedgerEntry {
    this.#sweep();
    const { epoch, repeat } = call;
    const isOld = epoch !== undefined && epoch < (this.#epochs.get(call.runId)?.epoch ?? 0);
    if (isOld) return { status: "superseded" };
    const key = toKey(call);
    const found = this.#calls.get(key);
    const answer = found === undefined ? undefined : answerFor(found, call);
    if (answer !== undefined) return answer;
    const isFull =
      Math.max(this.#calls.size, this.#epochs.size) >= maxCalls || this.#text >= maxTextLength;
    if (found === undefined && isFull && repeat !== "resume") {
      throw new ToolError("limit_exceeded", "The call ledger in memory is full.");
    }
    if (epoch !== undefined) this.#raiseEpoch(call.runId, epoch);
    const { tool, argumentsHash, token } = call;
    this.#put(key, { tool, argumentsHash, token, status: "running", outcome: "" });
    return { status: "begun" };
  }

  end(claim: LedgerClaim, end: LedgerEnd): boolean {
    const key = toKey(claim);
    const found = this.#calls.get(key);
    if (found?.token !== claim.token || found.status === "ended" || found.status === "suspended") {
      return false;
    }
    if (end.status === "released") this.#remove(key);
    else this.#put(key, { ...found, outcome: "", ...end });
    return true;
  }

  #put(key: string, call: Omit<StoredCall, "expiresAt">): void {
    this.#remove(key);
    this.#calls.set(key, { ...call, expiresAt: this.#clock.now() + lifetimeMs });
    this.#text += call.outcome.length;
  }

  #raiseEpoch(runId: string, epoch: number): void {
    this.#epochs.delete(runId);
    this.#epochs.set(runId, { epoch, expiresAt: this.#clock.now() + lifetimeMs });
  }

  #remove(key: string): void {
    this.#text -= this.#calls.get(key)?.outcome.length ?? 0;
    this.#calls.delete(key);
  }

  /** Removes calls and epochs that have expired. */
  #sweep(): void {
    const now = this.#clock.now();
    for (const [key, { expiresAt }] of this.#calls) {
      if (expiresAt > now) break;
      this.#remove(key);
    }
    for (const [runId, { expiresAt }] of this.#epochs) {
      if (expiresAt > now) break;
      this.#epochs.delete(runId);
    }
  }
}

/** The answer to `begin` for a call that was begun before; `undefined`: it is taken over. */
function answerFor(found: StoredCall, call: LedgerCall): LedgerEntry | undefined {
  const { status, outcome } = found;
  if (found.token === call.token && status === "running") return { status: "begun" };
  const isSame = found.tool === call.tool && found.argumentsHash === call.argumentsHash;
  if (!isSame && call.repeat !== "resume") return { status: "conflict" };
  if (status === "ended") return { status, outcome };
  if (call.repeat === "resume") return undefined;
  if (status === "suspended") return { status: "ended", outcome };
  return call.repeat === "rerun" ? undefined : { status };
}

function toKey({ runId, callId }: LedgerClaim): string {
  return JSON.stringify([runId, callId]);
}
