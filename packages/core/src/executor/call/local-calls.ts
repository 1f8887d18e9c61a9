import type { PolicyLayer } from "../../policy/decision.ts";
import type { SpendCarriedOver } from "../../limits/limited-call.ts";
import type { RunState } from "./run-state.ts";

/** State of an interrupted call that exists only in the process that made it, since it cannot be serialized. */
export interface LocalCall {
  readonly run: RunState;
  /** The policies that narrowed the executor's own. */
  readonly narrower: readonly PolicyLayer[];
  /** Set when the run's counters include the call. */
  readonly counted?: SpendCarriedOver;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Beyond this the oldest are forgotten. They can then be resumed as if from another process. */
const maxCalls = 10_000;

/** The interrupted calls of this process, by the interruption's id. */
export class LocalCalls {
  readonly #byId = new Map<string, LocalCall>();

  add(id: string, call: LocalCall, now: number): void {
    // In order of creation; all have the same lifetime.
    for (const [id, { expiresAt }] of this.#byId) {
      if (expiresAt > now && this.#byId.size < maxCalls) break;
      this.#byId.delete(id);
    }
    this.#byId.set(id, call);
  }

  get(id: string): LocalCall | undefined {
    return this.#byId.get(id);
  }

  delete(id: string): void {
    this.#byId.delete(id);
  }
}
