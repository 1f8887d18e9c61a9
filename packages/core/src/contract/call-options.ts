import type { Awaitable } from "../json/json.ts";
import type { ToolCall } from "./tool-call.ts";
import type { ToolOutcome, ToolOutput } from "./tool-result.ts";

/** Options of one call. */
export interface CallOptions {
  /** Milliseconds; shortens the tool's own timeout. */
  readonly timeoutMs?: number | undefined;
  /**
   * Milliseconds for the whole call: its attempts, the waits between them, and the wait for a place.
   * Waiting for people does not count, and a call that is resumed has none. The call fails with
   * `timeout`. 0 or less: it has passed. Default: the run's time.
   */
  readonly deadlineMs?: number | undefined;
  /** Cancels this call. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Gets the partial outputs of the call's tool, for user interfaces: each in place of the one before,
   * after hooks, redacted, frozen, within `maxOutputBytes`. A promise that it gives holds up the next
   * one, and a tool that waits for it, for `hookTimeoutMs` at most. What it throws changes nothing.
   */
  readonly onUpdate?: ((output: ToolOutput, call: ToolCall) => Awaitable<void>) | undefined;
  /** Continues the call as a task, whatever its tool says, also after the call has waited for a person. */
  readonly asTask?: boolean | undefined;
}

/** One of several calls, and what came of it. */
export interface FinishedCall {
  /** Its place among the calls, from 0. */
  readonly index: number;
  /** The call as it was given. */
  readonly call: ToolCall;
  /** A call that waits for a person counts as finished, too: its outcome says so. */
  readonly outcome: ToolOutcome;
}

/** How far several calls are. */
export interface BatchProgress {
  /** In the order in which they ended; those that were refused or wait for a person first. */
  readonly finished: readonly FinishedCall[];
  /** The calls that have not started, in call order. */
  readonly remaining: readonly ToolCall[];
}

/** How many calls are made. */
export interface ExecuteAllOptions extends CallOptions {
  /**
   * `parallel` (default): each call starts as soon as there is a place. `sequential`: one after
   * another. `{ batched: n }`: n at a time, the next n when all of those have ended. Calls that
   * were refused, or wait for a person, take no place in a batch.
   */
  readonly strategy?: "parallel" | "sequential" | { readonly batched: number };
  /** The maximum number of concurrent calls, for every strategy. Default: 8, or the size of a batch. */
  readonly maxConcurrency?: number;
  /**
   * Called between calls (`sequential`) or between batches, while calls remain. A returned text stops the remaining
   * calls: they fail with `skipped`, and the model reads the text as the reason. If it throws, or returns anything
   * else, they are skipped as well. With `parallel` it is called once, after all have ended; its result is then neither
   * awaited nor used.
   */
  readonly stopWhen?: (progress: BatchProgress) => Awaitable<string | undefined>;
  /**
   * Handling of a call of the same tool with the same arguments as an earlier call of this batch: `run` (default), or
   * `skip`: the call fails with `skipped` before a person is asked about it, and the model reads which call's result
   * holds for both. Arguments are compared as they are after validation, before hooks.
   */
  readonly duplicates?: "run" | "skip";
}
