import type { Awaitable, JsonObject } from "../spec/json.ts";
import type { ApprovalRequest } from "../spec/interruption.ts";
import type { Caller } from "../spec/caller.ts";
import type { ToolSpec } from "../spec/tool-spec.ts";

/** What an approver decides upon. */
export interface Ask {
  readonly callId: string;
  readonly runId: string;
  readonly spec: ToolSpec;
  /** The final arguments, after hooks. */
  readonly arguments: JsonObject;
  readonly requests: readonly ApprovalRequest[];
  readonly caller?: Caller;
}

/** An approver's answer; `reason` is told to the model. */
export type AskAnswer =
  | { readonly approved: true }
  | { readonly approved: false; readonly reason?: string };

/** Decides inline. What it throws refuses the call. */
export type Approver = (ask: Ask) => Awaitable<AskAnswer>;

/**
 * What happens when the policy asks and nobody has agreed yet: the call is interrupted (the
 * default), refused, or decided inline by an approver.
 */
export type OnAsk = "interrupt" | "deny" | Approver;
