import type { PolicyLayer } from "../../policy/policy-layer.ts";
import type { SpendCarriedOver } from "../../limits/limited-call.ts";
import type { RunState } from "./run-state.ts";

/** What an interrupted call had in the process that made it, and that cannot be written down. */
export interface LocalCall {
  readonly run: RunState;
  /** The policies that narrowed the executor's own. */
  readonly narrower: readonly PolicyLayer[];
  /** Set when it is among what the run has counted. */
  readonly counted?: SpendCarriedOver;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** More are not kept: the oldest can then be resumed as from another process. */
const maxCalls = 10_000;

/** The interrupted calls of one process, by the interruption's id. */
export class LocalCalls {
  readonly #byId = new Map<string, LocalCall>();

  add(id: string, call: LocalCall, now: number): void {
    // In order of making, and all live equally long.
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
