import type { PolicyDefinition, PolicyPreset } from "../contract/policy-definition.ts";
import type { Caller } from "../contract/caller.ts";
import type { Answer, InterruptionRequest } from "../contract/interruption.ts";
import type { JsonObject, JsonValue } from "../json/json.ts";
import type { Approval } from "./approval.ts";

/** What a tool that had asked to wait was asked for, and what it was given. */
export interface Resumed {
  readonly state: JsonValue;
  readonly requests: readonly InterruptionRequest[];
  readonly answers: readonly Answer[];
}

/**
 * What an interrupted call needs to go on, beside what its interruption shows: plain JSON, sealed
 * into `state`.
 */
export interface PendingCall {
  /** Stripped, before hooks: they run again. */
  readonly admitted: JsonObject;
  /** A keyed hash of the final arguments, which a person is asked to agree to. */
  readonly argumentsHash: string;
  /** What stands behind the masks of what is visible. */
  readonly unmasked?: {
    readonly arguments: JsonObject;
    readonly requests: readonly InterruptionRequest[];
  };
  /** Attempts so far; 0 when the tool never started. */
  readonly attempt: number;
  /** What was agreed to before the tool asked to wait. */
  readonly approval?: Approval;
  /** Set when the tool itself asked to wait: what it goes on with. */
  readonly suspended?: { readonly state: JsonValue };
  /** Set when a tool that had asked to wait was about to go on, and the policy asked. */
  readonly earlier?: Resumed;
  readonly caller?: Caller;
  readonly sessionId?: string;
  readonly turn: number;
  /** The task that the call goes on as. */
  readonly taskId?: string;
  /** It is to become a task. */
  readonly asTask?: true;
  /** What its tool has kept last. */
  readonly checkpoint?: JsonValue;
  /** What might be called, by name, when that was less than the policy lets run. */
  readonly tools?: readonly string[];
  /** The policies that narrowed the executor's own. */
  readonly policies?: readonly (PolicyPreset | PolicyDefinition)[];
  /** A policy that narrowed it is a function, which only the process that made the call has. */
  readonly onlyHere?: true;
}
