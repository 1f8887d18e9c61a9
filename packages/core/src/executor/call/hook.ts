import type { ToolEvent } from "../../events/tool-event.ts";
import type { Awaitable, JsonObject } from "../../json/json.ts";
import type { Caller } from "../../contract/caller.ts";
import type { ToolResult, ToolOutput } from "../../contract/tool-result.ts";
import type { ToolSpec } from "../../contract/tool-spec.ts";

/** A call as host code around it sees it. */
export interface HookedCall {
  readonly callId: string;
  readonly runId: string;
  readonly spec: ToolSpec;
  /** Validated, and frozen: to change them `beforeCall` returns others. */
  readonly arguments: JsonObject;
  readonly caller?: Caller;
}

/**
 * What a `beforeCall` hook says: nothing to pass, other arguments, or a block with its reason, which
 * the model reads. Any other answer blocks the call, too.
 */
export type BeforeCallAnswer =
  | { readonly arguments: JsonObject }
  | { readonly block: string }
  | undefined
  | void;

/**
 * Host code around the work of a tool: it runs in stage 8, after everything has been decided, inside
 * each attempt's timeout. `next()` goes on to the tool and gives what that returned, or throws what
 * it threw; what the middleware returns is taken for the tool's answer, and checked like one. A
 * middleware that does not call `next` answers in the tool's place; one that answers with nothing
 * although the tool gave something, or was not called, has forgotten its `return`, and fails the call
 * with `internal`. It can neither change the arguments, which have been authorised, nor keep from the
 * executor that the tool waits for a person, was refused or has used up a limit. Calling `next` twice
 * fails the call.
 *
 * @example
 * ```js
 * const timed = async (call, next) => {
 *   const start = performance.now();
 *   try {
 *     return await next();
 *   } finally {
 *     console.log(call.spec.name, performance.now() - start);
 *   }
 * };
 * ```
 */
export type Middleware = (call: HookedCall, next: () => Promise<unknown>) => Awaitable<unknown>;

/**
 * Host code around every call; a middleware alone stands for `{ around: middleware }`. What observes
 * only is better off as a listener of the executor's events.
 */
export interface Hook {
  /** Ascending; ties by registration. The lowest is asked first, and is the outermost `around`. Default: 0. */
  readonly priority?: number;
  /** Which calls it is for: all but those for which it answers `false`. What it throws counts as thrown by the hook. */
  readonly when?: (call: HookedCall) => boolean;
  /**
   * Milliseconds for one answer; `around` has the attempt's. 0: no limit. Default: the executor's
   * `hookTimeoutMs`.
   */
  readonly timeoutMs?: number;
  /**
   * Runs in stage 6, before anything is authorised. What it throws, and outlasting its time, blocks
   * the call with `permission_denied`; arguments that are not valid fail it with `internal`.
   */
  beforeCall?(call: HookedCall): Awaitable<BeforeCallAnswer>;
  /** Wraps the work of the tool, in stage 8. */
  around?(call: HookedCall, next: () => Promise<unknown>): Awaitable<unknown>;
  /**
   * Runs in stage 10, after a tool that answered; what it returns replaces the output. What it
   * throws, outlasting its time, and returning what is no output fail the call with `internal`.
   */
  afterCall?(
    call: HookedCall,
    result: Pick<ToolResult, "content" | "value" | "isError">,
  ): Awaitable<ToolOutput | undefined | void>;
  /**
   * Runs when the tool has an update, which is frozen: what it returns replaces the update, and `null`
   * drops it. So does what it throws, what is no output, and outlasting its time. Until it has
   * answered no other update of the call passes; of those that come meanwhile only the latest does.
   */
  beforeUpdate?(
    call: HookedCall,
    update: ToolOutput,
  ): Awaitable<ToolOutput | null | undefined | void>;
  /**
   * Is told of each update that was not dropped: frozen, redacted and within `maxOutputBytes`. A
   * promise that it gives holds up the next update of the call, and the tool if that waits, until it
   * settles or its time is over. What it throws changes nothing.
   */
  afterUpdate?(call: HookedCall, update: ToolOutput): Awaitable<void>;
  /**
   * Is told of every event, as with `executor.on`, also of calls for which `when` is false. What it
   * throws changes nothing.
   */
  onEvent?(event: ToolEvent): void;
}
