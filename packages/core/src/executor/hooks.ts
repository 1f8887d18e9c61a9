import type { Awaitable, JsonObject } from "../spec/json.ts";
import type { Caller } from "../spec/caller.ts";
import type { ToolResult, ToolOutput } from "../spec/tool-result.ts";
import type { ToolSpec } from "../spec/tool-spec.ts";

/** A call as a hook sees it. */
export interface HookedCall {
  readonly callId: string;
  readonly runId: string;
  readonly spec: ToolSpec;
  readonly arguments: JsonObject;
  readonly caller?: Caller;
}

/** What a `beforeCall` hook says: nothing to pass, other arguments, or a block with its reason. */
export type BeforeCallAnswer =
  | { readonly arguments: JsonObject }
  | { readonly block: string }
  | undefined
  | void;

/** Host code around every call. */
export interface Hook {
  /** Ascending; ties by registration. Default: 0. */
  readonly priority?: number;
  /** Which calls it is for. Default: all. */
  readonly when?: (call: HookedCall) => boolean;
  /** Runs in stage 6, before anything is authorised. What it throws blocks the call. */
  beforeCall?(call: HookedCall): Awaitable<BeforeCallAnswer>;
  /** Runs in stage 10; what it returns replaces the output. What it throws fails the call. */
  afterCall?(
    call: HookedCall,
    result: Pick<ToolResult, "content" | "value" | "isError">,
  ): Awaitable<ToolOutput | undefined | void>;
}
