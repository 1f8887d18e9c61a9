import type { JsonObject } from "../json/json.ts";
import type { Caller } from "./caller.ts";
import type { Redactor } from "./redactor.ts";
import type { ToolCall } from "./tool-call.ts";
import type { RegisteredTool, Toolset } from "./tool.ts";
import { ToolError } from "./tool-error.ts";

/** The facts about a call's run that services receive. */
export interface RunInfo {
  readonly id: string;
  /** The number of the turn; 0: the run has no turns. */
  readonly turn: number;
  readonly turnId: string | undefined;
  readonly sessionId: string | undefined;
  readonly caller: Caller | undefined;
}

/**
 * The facts about a call that limits, events, audit and redaction receive. The pipeline's own state of a call satisfies
 * this type, so that these services do not depend on the pipeline.
 */
export interface CallInfo {
  readonly call: ToolCall;
  readonly run: RunInfo;
  readonly toolset: Toolset;
  /** The tool, once the name has been resolved. */
  readonly entry: RegisteredTool | undefined;
  /** The arguments, once they are an object. */
  readonly args: JsonObject | undefined;
  /** The number of the current attempt; 0: not started. */
  readonly attempt: number;
  /** The call whose tool made this one. */
  readonly parent: CallInfo | undefined;
  /** Removes secrets from what leaves the executor; absent: the host wants nothing redacted. */
  readonly redactor: Redactor | undefined;
}

/** A call that can wait for the host's code for a limited time. */
export interface WaitingCall {
  /** Calls `end` after `ms` milliseconds, unless the step of the call is over before. */
  waitFor(ms: number, end: () => void): void;
}

/**
 * Passes on a value while the call is in the step for which the guard was made. Afterwards it calls `undo` with the
 * value and throws: the call has been stopped, or has continued without it, and nothing more may happen for it.
 */
export type LiveGuard = <T>(value: T, undo?: (value: T) => void) => T;

/** A call on whose behalf something is awaited. */
export interface LiveCall {
  /** Creates the guard of the call's current step: `const live = call.guard(); const found = live(await search());` */
  guard(): LiveGuard;
}

/**
 * Settles as `pending`, the answer of the host's or a tool's code, does.
 *
 * @param ms milliseconds that the answer may take; 0: no limit.
 * @param late makes the error when it takes longer. Default: `timeout`.
 */
export function answerWithin<T>(
  call: WaitingCall,
  ms: number,
  pending: PromiseLike<T>,
  late?: () => ToolError,
): Promise<T> {
  if (!(ms > 0)) return Promise.resolve(pending);
  return new Promise<T>((resolve, reject) => {
    call.waitFor(ms, () =>
      reject(
        late?.() ?? new ToolError("timeout", `The host's code did not answer within ${ms} ms.`),
      ),
    );
    pending.then(resolve, reject);
  });
}
