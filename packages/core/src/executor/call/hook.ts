import type { ToolEvent } from "../../events/tool-event.ts";
import type { Awaitable, JsonObject } from "../../json/json.ts";
import type { Caller } from "../../contract/caller.ts";
import type { ToolResult, ToolOutput } from "../../contract/tool-result.ts";
import type { ToolSpec } from "../../contract/tool-spec.ts";
import type { ToolError } from "../../contract/tool-error.ts";

/** A call as hooks of the host see it. */
export interface HookedCall {
  readonly callId: string;
  readonly runId: string;
  readonly spec: ToolSpec;
  /** Validated and frozen. To change them, `beforeCall` returns other arguments. */
  readonly arguments: JsonObject;
  readonly caller?: Caller;
}

/**
 * The answer of a `beforeCall` hook: nothing to pass, other arguments, or a block with its reason, which the model
 * reads. Any other answer also blocks the call.
 */
export type BeforeCallAnswer =
  | { readonly arguments: JsonObject }
  | { readonly block: string }
  | undefined
  | void;

/**
 * Host code around the work of a tool. It runs in stage 8, after authorization, inside each attempt's timeout. `next()`
 * runs the tool and returns its answer, or throws its error. The value that the middleware returns replaces the tool's
 * answer and is checked like one. A middleware that does not call `next` answers in place of the tool. If it returns
 * nothing although the tool returned something or was not called, its `return` is missing, and the call fails with
 * `internal`. It cannot change the arguments, which have been authorised. It cannot hide from the executor that the
 * tool waits for a person, was refused or has used up a limit. If it calls `next` twice, the call fails.
 *
 * @example
 * ```ts
 * const timed: Middleware = async (call, next) => {
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
 * Host code around every call. A function alone is a middleware and means `{ around: middleware }`. Code that only
 * observes should listen to the executor's events.
 */
export interface Hook {
  /** Ascending; ties by registration. The lowest is called first and is the outermost `around`. Default: 0. */
  readonly priority?: number;
  /**
   * Selects the calls that it applies to: all but those for which it returns `false`. If it throws, the hook has
   * thrown.
   */
  readonly when?: (call: HookedCall) => boolean;
  /**
   * Milliseconds for one answer; `around` has the attempt's timeout. 0: no limit. Default: the executor's
   * `hookTimeoutMs`.
   */
  readonly timeoutMs?: number;
  /**
   * Runs in stage 6, before authorization. If it throws or times out, the call is blocked with `permission_denied`; if
   * it returns arguments that are not valid, the call fails with `internal`.
   */
  beforeCall?(call: HookedCall): Awaitable<BeforeCallAnswer>;
  /** Wraps the work of the tool, in stage 8. */
  around?(call: HookedCall, next: () => Promise<unknown>): Awaitable<unknown>;
  /**
   * Runs in stage 10, after a tool that answered. The returned output replaces the tool's output. If it throws, times
   * out or returns anything else, the call fails with `internal`.
   */
  afterCall?(
    call: HookedCall,
    result: Pick<ToolResult, "content" | "value" | "isError">,
  ): Awaitable<ToolOutput | undefined | void>;
  /**
   * Runs when the tool emits an update, which is frozen. The returned output replaces the update, and `null` drops it.
   * The update is also dropped if the hook throws, times out or returns anything else. Other updates of the call wait
   * until it has answered; of those, only the latest is passed on.
   */
  beforeUpdate?(
    call: HookedCall,
    update: ToolOutput,
  ): Awaitable<ToolOutput | null | undefined | void>;
  /**
   * Receives each update that was not dropped: frozen, redacted and within `maxOutputBytes`. If it returns a promise,
   * the next update of the call, and the tool if it awaits the update, wait until the promise settles or times out.
   * Errors are ignored.
   */
  afterUpdate?(call: HookedCall, update: ToolOutput): Awaitable<void>;
  /** Receives every event, as with `executor.on`, also of calls for which `when` is false. Errors are ignored. */
  onEvent?(event: ToolEvent): void;
}

/** Arguments that are not valid, as the repair function receives them. */
export interface RepairRequest {
  readonly callId: string;
  readonly spec: ToolSpec;
  /** As the model sent them: the string when it sent one, otherwise a frozen copy. */
  readonly arguments: string | JsonObject;
  /** The validation error, as the model would read it. */
  readonly error: ToolError;
}

/**
 * Returns other arguments in place of those that are not valid, or nothing when it cannot repair them. They are
 * stripped and validated like a model's, once. If they are not valid either, if the function throws or exceeds
 * `hookTimeoutMs`, the model reads the error of its own arguments.
 */
export type Repair = (request: RepairRequest) => Awaitable<JsonObject | string | undefined>;
