import type { Answer, Interruption } from "../spec/interruption.ts";
import type { JsonObject, JsonValue } from "../spec/json.ts";
import type { PolicyPreset } from "../policy/policy.ts";
import type { Toolset } from "../registry/toolset.ts";
import type { ToolCall } from "../spec/tool-call.ts";
import type { Approval } from "./execution.ts";
import { ToolError } from "../tool-error.ts";
import type { ToolRun } from "./tool-run.ts";

/** A call that waits for a person, with all it needs to go on. */
export interface PendingCall {
  readonly interruption: Interruption;
  readonly run: ToolRun;
  readonly call: ToolCall;
  readonly policies: readonly PolicyPreset[];
  /** What was advertised: the resumed call, and what it calls in turn, may not reach further. */
  readonly toolset: Toolset;
  /** Stripped, before hooks. */
  readonly admitted: JsonObject;
  /** Canonical JSON of what a person is asked to agree to. */
  readonly finalArguments: string;
  /** Attempts so far; 0 when the tool never started. */
  readonly attempt: number;
  readonly approval?: Approval;
  /** Set when the tool itself asked to wait. */
  readonly suspendedState?: JsonValue;
  /** What a tool that had asked to wait before was given then. */
  readonly earlier?: { readonly state: JsonValue; readonly answers: readonly Answer[] };
}

/** More are not kept: whoever makes a model ask without end must not fill the memory. */
const most = 10_000;

/** The pending calls of one process. */
export class PendingCalls {
  readonly #byState = new Map<string, PendingCall>();

  /** @throws ToolError `limit_exceeded` when too many wait already. */
  add(pending: PendingCall): void {
    if (this.#byState.size >= most) {
      throw new ToolError(
        "limit_exceeded",
        `${most} calls wait for a person already: have them answered first.`,
      );
    }
    this.#byState.set(pending.interruption.state, pending);
  }

  /** Looks without claiming. */
  peek(state: string): PendingCall | undefined {
    return this.#byState.get(state);
  }

  /** Takes it out: whoever gets it is the only one who may run it. */
  claim(state: string): PendingCall | undefined {
    const pending = this.#byState.get(state);
    this.#byState.delete(state);
    return pending;
  }

  /** Forgets what can no longer be answered. */
  expire(now: number): void {
    for (const [state, { interruption }] of this.#byState) {
      if (interruption.expiresAt <= now) this.#byState.delete(state);
    }
  }
}
