import type { Caller } from "../spec/caller.ts";
import {
  checkedLimits,
  newCounters,
  type RunCounters,
  type RunLimits,
} from "../limits/run-limits.ts";
import type { Toolset } from "../registry/toolset.ts";
import type { ToolCall } from "../spec/tool-call.ts";
import type { ToolOutcome } from "../spec/tool-result.ts";
import { ToolError } from "../tool-error.ts";
import { Batch } from "./batch.ts";
import type { Engine } from "./engine.ts";
import type { ToolExecutor } from "./tool-executor.ts";
import { checkedCall } from "./checked-call.ts";
import { admit, execute, start } from "./execute.ts";
import { Execution } from "./execution.ts";
import { followSignal } from "./follow-signal.ts";

/** What a run is started with. */
export interface RunOptions {
  /** Default: a random UUID. */
  readonly id?: string;
  /** Whose conversation it belongs to. */
  readonly sessionId?: string;
  readonly caller?: Caller;
  /** Cancels every call of the run. */
  readonly signal?: AbortSignal;
  /** What tools get as `ctx.injected`. Never shown to a model. */
  readonly injected?: unknown;
  readonly limits?: RunLimits;
  /** What may be called. Default: everything the policy may let run. */
  readonly toolset?: Toolset;
}

/** What one call is made with. */
export interface CallOptions {
  /** Milliseconds; shortens the tool's own timeout. */
  readonly timeoutMs?: number;
  /** Cancels this call. */
  readonly signal?: AbortSignal;
}

/** How many calls are made. */
export interface ExecuteAllOptions extends CallOptions {
  /** How many run at once. Default: 8. */
  readonly maxConcurrency?: number;
}

/** One agent run: on whose behalf, with what, how much of it, and what may be called just now. */
export class ToolRun {
  readonly sessionId: string | undefined;
  readonly caller: Caller | undefined;
  readonly injected: unknown;
  readonly limits: RunLimits | undefined;
  /** @internal */
  readonly counters: RunCounters | undefined;
  readonly #engine: Engine;
  readonly #advertised: () => Toolset;
  readonly #signal: AbortSignal | undefined;
  #toolset: Toolset | undefined;
  #admitted: WeakMap<ToolCall, Execution> | undefined;
  #id: string | undefined;
  #turn = 0;
  #stopped: ToolError | undefined;
  #onAbort: (() => void) | undefined;
  /** Calls that wait for the registry. */
  #waiting: Set<() => void> | undefined;

  /**
   * Made by `executor.startRun`.
   *
   * @internal
   */
  constructor(engine: Engine, advertised: () => Toolset, options: RunOptions) {
    this.#engine = engine;
    this.#advertised = advertised;
    this.#id = options.id;
    this.sessionId = options.sessionId;
    this.caller = options.caller;
    this.injected = options.injected;
    this.limits = options.limits === undefined ? undefined : checkedLimits(options.limits);
    this.counters = options.limits === undefined ? undefined : newCounters();
    this.#toolset = options.toolset;
    this.#signal = options.signal;
    if (options.signal !== undefined) this.#follow(options.signal);
  }

  /** Whose run it is. */
  get executor(): ToolExecutor {
    return this.#engine.executor;
  }

  /** Names the run in events and results. */
  get id(): string {
    return (this.#id ??= crypto.randomUUID());
  }

  /** The turn, once `nextTurn` has been called. */
  get turnId(): string | undefined {
    return this.#turn === 0 ? undefined : `${this.id}:${this.#turn}`;
  }

  /** What may be called now. */
  get toolset(): Toolset {
    return this.#toolset ?? this.#advertised();
  }

  /**
   * Runs one call. Never rejects: what goes wrong is in the outcome.
   *
   * @param call what the model asks for.
   */
  execute(call: ToolCall, options?: CallOptions): Promise<ToolOutcome> {
    const admitted = this.#admitted?.get(call);
    if (admitted !== undefined) return this.#start(call, admitted, options);
    if (!this.#engine.registry.loading) return this.#executeNow(call, options);
    return this.#loaded(options?.signal).then(() => this.#executeNow(call, options));
  }

  /**
   * Takes a call through admission only (stages 1 to 7), for frameworks that ask first whether a
   * call needs approval. Nothing runs and nothing is counted. `execute` with the very same object
   * goes on from there: no hook and no approver hears of the call twice.
   *
   * @returns `undefined` when the call would run now, an `interrupted` outcome when a person must
   * agree first (resume it), a failed one when it would be refused.
   */
  async admits(call: ToolCall, options?: CallOptions): Promise<ToolOutcome | undefined> {
    if (this.#engine.registry.loading) await this.#loaded(options?.signal);
    const execution = this.#prepare(call, options);
    const outcome = await followSignal(options?.signal, execution, admit);
    if (outcome === undefined) (this.#admitted ??= new WeakMap()).set(call, execution);
    return outcome;
  }

  /**
   * Runs several calls. All are admitted in order before any starts; results come in call order.
   * One that fails or waits for a person holds up no other.
   */
  async executeAll(
    calls: readonly ToolCall[],
    options: ExecuteAllOptions = {},
  ): Promise<readonly ToolOutcome[]> {
    const { maxConcurrency = 8 } = options;
    if (!(Number.isInteger(maxConcurrency) && maxConcurrency > 0)) {
      throw new ToolError(
        "internal",
        `maxConcurrency is ${maxConcurrency}; use a whole number above 0.`,
      );
    }
    if (this.#engine.registry.loading) await this.#loaded(options.signal);
    const batch = new Batch(maxConcurrency);
    const outcomes: Promise<ToolOutcome>[] = [];
    for (const call of calls) {
      const execution = this.#prepare(call, options, batch);
      const arrived = batch.arrived(execution);
      outcomes.push(followSignal(options.signal, execution, execute));
      await arrived;
    }
    batch.open();
    return Promise.all(outcomes);
  }

  /** Begins a turn with the tools as they are now, or with `toolset`. */
  nextTurn(toolset?: Toolset): this {
    this.#turn += 1;
    if (toolset !== undefined) this.#toolset = toolset;
    return this;
  }

  /** Cancels what still runs; later calls are cancelled before they start. Idempotent. */
  cancel(reason = "The run was cancelled."): void {
    this.#stopped ??= new ToolError("cancelled", reason);
    for (const execution of [...this.#engine.inFlight]) {
      if (execution.run === this) execution.stop(this.#stopped);
    }
    for (const go of [...(this.#waiting ?? [])]) go();
    this.#unfollow();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cancel("The run has ended.");
  }

  /** @internal */
  get stopped(): ToolError | undefined {
    return this.#stopped;
  }

  #prepare(call: ToolCall, options: CallOptions | undefined, batch?: Batch): Execution {
    const engine = this.#engine;
    const execution = new Execution(
      engine,
      this,
      checkedCall(call),
      this.toolset,
      engine.policies,
      options?.timeoutMs,
    );
    if (batch !== undefined) execution.batch = batch;
    if (this.#stopped !== undefined) execution.stopped = this.#stopped;
    return execution;
  }

  #start(call: ToolCall, admitted: Execution, options?: CallOptions): Promise<ToolOutcome> {
    this.#admitted?.delete(call);
    const { entry } = admitted;
    const now = this.toolset.entry(call.name);
    const available = now?.tool.availability?.status !== "unavailable";
    // What has been taken away or replaced meanwhile is not what was admitted.
    if (now?.tool !== entry?.tool || now?.trusted !== entry?.trusted || !available) {
      return this.#executeNow(call, options);
    }
    admitted.onlyAdmitted = false;
    admitted.ended = false;
    admitted.stopped = this.#stopped;
    if (options?.timeoutMs !== undefined) admitted.timeoutMs = options.timeoutMs;
    return followSignal(options?.signal, admitted, start);
  }

  #executeNow(call: ToolCall, options: CallOptions | undefined): Promise<ToolOutcome> {
    const execution = this.#prepare(call, options);
    return options?.signal === undefined
      ? execute(execution)
      : followSignal(options.signal, execution, execute);
  }

  /** Resolves when every source has loaded, and sooner when the run or the call is stopped. */
  #loaded(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        this.#waiting?.delete(go);
        signal?.removeEventListener("abort", go);
        resolve();
      };
      (this.#waiting ??= new Set()).add(go);
      signal?.addEventListener("abort", go, { once: true });
      if (this.#stopped !== undefined || signal?.aborted === true) go();
      else void this.#engine.registry.ready.then(go);
    });
  }

  #follow(signal: AbortSignal): void {
    this.#onAbort = () => this.cancel();
    if (signal.aborted) this.cancel();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  #unfollow(): void {
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#onAbort = undefined;
  }
}
