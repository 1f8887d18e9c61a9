import { checkSession, copyCaller, type Caller } from "../contract/caller.ts";
import { SearchedToolset } from "../built-in/searched-toolset.ts";
import { isBuiltInName } from "../contract/tool-names.ts";
import {
  checkedLimits,
  newCounters,
  type RunCounters,
  type RunLimits,
} from "../limits/run-limits.ts";
import type { SecretRedactor } from "../redaction/secret-redactor.ts";
import type { Toolset } from "../contract/tool.ts";
import type { ToolCall } from "../contract/tool-call.ts";
import type { ToolOutcome } from "../contract/tool-result.ts";
import { ToolError } from "../contract/tool-error.ts";
import { requestedName, readCall } from "./call/read-call.ts";
import { Batch, type BatchRun } from "./batch/batch.ts";
import { CallStream } from "./call-stream.ts";
import { type CallName, type CallServices, CallState } from "./call/call-state.ts";
import {
  checkOneCall,
  manyCalls,
  settingsIn,
  type RunOptions,
} from "./batch/check-call-options.ts";
import type { CallOptions, ExecuteAllOptions, FinishedCall } from "../contract/call-options.ts";
import { admit, execute, start } from "./execute.ts";
import { readDurable, type DurableRun } from "./call/durable-run.ts";
import { abortWith } from "./call/outcome.ts";
import { CallIds, takeCallId } from "./call/call-ids.ts";
import { unwrapCallTool } from "./call/unwrap-call-tool.ts";

/**
 * One agent run: its caller, its values, its limits, and the tools that may be called now. `ToolRun` adds the type of
 * the executor, which itself creates runs.
 */
export class BaseRun<Executor extends object> {
  readonly sessionId: string | undefined;
  readonly caller: Caller | undefined;
  readonly limits: RunLimits | undefined;
  /** @internal */
  readonly delegateScope: RunOptions["delegateScope"];
  /** @internal */
  readonly inheritedContext: ReadonlyMap<symbol, unknown> | undefined;
  /** @internal */
  readonly inlineBinary: boolean;
  /** @internal */
  readonly durable: DurableRun | undefined;
  /** @internal */
  readonly counters: RunCounters | undefined;
  /** @internal Time at which the run's duration is used up; Infinity: never. */
  readonly endsAt: number;
  /** @internal Also redacts the secrets that the run injects; set when a tool first receives them. */
  redactor: SecretRedactor | undefined;
  /** @internal */
  readonly callIds: CallIds = new CallIds();
  readonly #engine: CallServices;
  readonly #injected: unknown;
  readonly #signal: AbortSignal | undefined;
  #toolset: Toolset | undefined;
  readonly #searched: SearchedToolset | undefined;
  /** The list that the model has been given cannot change any more. */
  #isFixed = false;
  #admitted: WeakMap<ToolCall, CallState> | undefined;
  #id: string | undefined;
  #turn: number;
  #stopped: ToolError | undefined;
  #cancelled: ToolError | undefined;
  #ended = false;
  #onAbort: (() => void) | undefined;
  /** Calls that wait for the registry. */
  #waiting: Set<() => void> | undefined;

  /**
   * Created by `executor.startRun`.
   *
   * @internal
   */
  constructor(engine: CallServices, options: RunOptions, turn = 0) {
    this.#engine = engine;
    this.#turn = turn;
    this.#id = options.id;
    checkSession(options.sessionId);
    this.sessionId = options.sessionId;
    // Copied: every tool of the run sees it, and must not give itself a role.
    this.caller = options.caller === undefined ? undefined : copyCaller(options.caller);
    this.#injected = options.injected;
    this.delegateScope = options.delegateScope;
    this.inheritedContext = options.inheritedContext;
    this.inlineBinary = options.inlineBinary === true;
    const { durable } = options;
    this.durable = durable === undefined ? durable : readDurable(durable, engine.ledger);
    this.limits = options.limits === undefined ? undefined : checkedLimits(options.limits);
    this.counters = options.limits === undefined ? undefined : newCounters();
    const durationMs = this.limits?.durationMs;
    this.endsAt = durationMs === undefined ? Infinity : engine.clock.now() + durationMs;
    this.#toolset = options.toolset;
    if (options.search !== undefined) {
      this.#searched = new SearchedToolset(engine, options.search, this.caller);
    }
    this.#signal = options.signal;
    if (options.signal !== undefined) this.#follow(options.signal);
  }

  /** For tools. Not printed with the run. */
  get injected(): unknown {
    return this.#injected;
  }

  /** The executor of the run. */
  get executor(): Executor {
    return this.#engine.executor as Executor;
  }

  /** Names the run in events and results. */
  get id(): string {
    return (this.#id ??= crypto.randomUUID());
  }

  /** Id of the turn, once `nextTurn` has been called. */
  get turnId(): string | undefined {
    return this.#turn === 0 ? undefined : `${this.id}:${this.#turn}`;
  }

  /** @internal */
  get turn(): number {
    return this.#turn;
  }

  /**
   * The tools that may be called now, with the part that is listed for a model. Includes `read_artifact` and the task
   * tools as soon as they are needed.
   */
  get toolset(): Toolset {
    const { executor, artifacts } = this.#engine;
    const base = this.#toolset ?? executor.advertised(this.caller);
    const { helpers } = executor;
    const needsHelpers =
      this.#isFixed || base.hasTasks || helpers.alwaysRead || artifacts.mayHave(this);
    return needsHelpers || this.#searched !== undefined ? this.#withHelpers(base) : base;
  }

  /** The part of a toolset that is listed, with the built-in tools that its calls may need. */
  #withHelpers(base: Toolset): Toolset {
    const { executor, artifacts } = this.#engine;
    const listed = this.#searched?.expose(base, this.#turn, base === this.#toolset) ?? base;
    const { helpers } = executor;
    const reads =
      (this.#isFixed && (listed.size > 0 || listed.searchable !== undefined)) ||
      helpers.alwaysRead ||
      artifacts.mayHave(this);
    if (!reads && !listed.hasTasks) return listed;
    return helpers.join(listed, { artifacts: reads, tasks: listed.hasTasks }, this.caller);
  }

  /**
   * Fixes the toolset, for a framework whose list cannot change: from now on it includes every built-in tool that a
   * later call may need.
   */
  freezeToolset(): Toolset {
    this.#isFixed = true;
    return this.toolset;
  }

  /**
   * The toolset for resuming a call of that tool, whatever the run lists now.
   *
   * @internal
   */
  toolsetFor(name: string): Toolset {
    const { executor } = this.#engine;
    const base = executor.advertised(this.caller);
    if (!isBuiltInName(name))
      return base.callable(name) === undefined ? executor.permitted(this.caller) : base;
    const all = { artifacts: true, tasks: true };
    return executor.helpers.join(base, all, this.caller).with(this.#searched?.tools ?? []);
  }

  /**
   * Runs one call. Never rejects: errors are in the outcome.
   *
   * @param call as the model made it.
   * @throws ToolError `invalid_configuration` when an option is not valid; nothing has run then.
   */
  execute(call: ToolCall, options?: CallOptions): Promise<ToolOutcome> {
    if (options !== undefined) checkOneCall("run.execute", options);
    const admitted = this.#admitted?.get(call);
    if (admitted !== undefined) return this.#start(call, admitted, options);
    if (!this.#engine.registry.loading) return this.#executeNow(call, options);
    return this.#loaded([call], options?.signal).then(() => this.#executeNow(call, options));
  }

  /**
   * Runs a call through admission only (stages 1 to 7), for frameworks that ask first whether a call needs approval.
   * Nothing runs and nothing is counted. `execute` with the same object continues from there: hooks and approver are
   * not called twice.
   *
   * @returns `undefined` when the call would run now, an `interrupted` outcome when a person must approve first (resume
   * it), a failed one when it would be refused.
   * @throws ToolError `invalid_configuration` (by rejecting) when an option is not valid.
   */
  async checkAdmission(
    call: ToolCall,
    options?: CallOptions,
    /** @internal Names the call for other processes, if it has to wait. */
    callName?: CallName,
  ): Promise<ToolOutcome | undefined> {
    if (options !== undefined) checkOneCall("run.checkAdmission", options);
    if (this.#engine.registry.loading) await this.#loaded([call], options?.signal);
    const execution = this.#prepare(call, options);
    if (callName !== undefined) execution.settings = { ...execution.settings, callName };
    const repeated = takeCallId(execution);
    if (repeated !== undefined) execution.stop(repeated);
    const outcome = await abortWith(options?.signal, execution, admit);
    if (repeated === undefined && outcome?.status !== "interrupted") {
      this.callIds.release(execution.call.id);
    }
    if (outcome === undefined) (this.#admitted ??= new WeakMap()).set(call, execution);
    return outcome;
  }

  /**
   * Runs several calls. All are admitted in order before any starts; results come in call order. A call that fails, is
   * refused or waits for a person does not delay the others.
   *
   * @throws ToolError `invalid_configuration` (by rejecting) when an option is not valid; nothing has run then.
   */
  async executeAll(
    calls: readonly ToolCall[],
    options: ExecuteAllOptions = {},
  ): Promise<readonly ToolOutcome[]> {
    const many = manyCalls("run.executeAll", calls, options);
    return new Batch(many, this.#batchRun(options)).go();
  }

  /**
   * Runs several calls as `executeAll` does, and yields each outcome as soon as it is known. No call starts before the
   * first outcome is requested. Leaving the loop cancels the calls that have not ended, without waiting for them. Can
   * be iterated once.
   *
   * @example
   * ```ts
   * for await (const { call, outcome } of run.stream(calls)) {
   *   if (outcome.error) break; // the rest is cancelled
   * }
   * ```
   *
   * @throws ToolError `invalid_configuration` when an option is not valid.
   */
  stream(calls: readonly ToolCall[], options: ExecuteAllOptions = {}): AsyncIterable<FinishedCall> {
    const many = manyCalls("run.stream", calls, options);
    return new CallStream(many, this.#batchRun(options));
  }

  /** Begins a turn with the current tools, or with `toolset`. */
  nextTurn(toolset?: Toolset): this {
    this.#turn += 1;
    if (toolset !== undefined) this.#toolset = toolset;
    return this;
  }

  /** Cancels active calls, including tasks; later calls are cancelled before they start. Idempotent. */
  cancel(reason = "The run was cancelled."): void {
    this.#cancelled ??= new ToolError("cancelled", reason);
    this.#stop(this.#cancelled);
  }

  /** Cancels active calls except tasks, which continue; later calls are cancelled before they start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    this.#stop(new ToolError("cancelled", "The run has ended."));
  }

  #stop(reason: ToolError): void {
    this.#stopped ??= reason;
    for (const execution of [...this.#engine.activeCalls]) {
      const why = execution.run === this ? execution.runStopped : undefined;
      if (why !== undefined) execution.stop(why);
    }
    for (const go of [...(this.#waiting ?? [])]) go();
    this.#unfollow();
  }

  /** The error with which new calls are refused; `undefined`: they are accepted. */
  get #refusal(): ToolError | undefined {
    return this.#stopped ?? this.#engine.drain.refusal;
  }

  /**
   * True when the run was disposed of. Its pending calls are resumed in another run.
   *
   * @internal
   */
  get ended(): boolean {
    return this.#ended;
  }

  /** @internal */
  get stopped(): ToolError | undefined {
    return this.#stopped;
  }

  /**
   * The error with which tasks are cancelled. Disposing of the run does not cancel them.
   *
   * @internal
   */
  get cancelled(): ToolError | undefined {
    return this.#cancelled;
  }

  #batchRun(options: CallOptions): BatchRun {
    return {
      loaded: (calls, signal) =>
        this.#engine.registry.loading ? this.#loaded(calls, signal) : undefined,
      prepare: (call) => this.#begin(call, options),
    };
  }

  /** Prepares a call that takes its id. */
  #begin(call: ToolCall, options: CallOptions | undefined): CallState {
    const execution = this.#prepare(call, options);
    const repeated = takeCallId(execution);
    if (repeated !== undefined) execution.stop(repeated);
    return execution;
  }

  #prepare(call: ToolCall, options: CallOptions | undefined): CallState {
    const engine = this.#engine;
    const { toolset } = this;
    const execution = new CallState(
      engine,
      this,
      unwrapCallTool(readCall(call), toolset),
      toolset,
      engine.policies,
      options === undefined ? undefined : settingsIn(options),
    );
    const refusal = this.#refusal;
    if (refusal !== undefined) execution.stop(refusal);
    if (this.endsAt !== Infinity || options?.deadlineMs !== undefined) {
      execution.giveTime(options?.deadlineMs);
    }
    return execution;
  }

  #start(call: ToolCall, admitted: CallState, options?: CallOptions): Promise<ToolOutcome> {
    this.#admitted?.delete(call);
    const { entry } = admitted;
    const now = this.toolset.callable(admitted.call.name);
    const available = now?.tool.availability?.status !== "unavailable";
    // A tool that was removed or replaced meanwhile has not been admitted.
    if (now?.tool !== entry?.tool || now?.trusted !== entry?.trusted || !available) {
      return this.#executeNow(call, options);
    }
    admitted.onlyAdmitted = false;
    admitted.reopen(this.#refusal ?? takeCallId(admitted));
    if (options !== undefined) admitted.settings = { ...admitted.settings, ...settingsIn(options) };
    if (admitted.time !== undefined || options?.deadlineMs !== undefined) {
      admitted.giveTime(options?.deadlineMs ?? admitted.time?.deadlineMs);
    }
    return abortWith(options?.signal, admitted, start);
  }

  #executeNow(call: ToolCall, options: CallOptions | undefined): Promise<ToolOutcome> {
    const execution = this.#begin(call, options);
    return options?.signal === undefined
      ? execute(execution)
      : abortWith(options.signal, execution, execute);
  }

  /** Resolves when the calls have to wait for no source, or when the run or the call is stopped. */
  #loaded(calls: readonly ToolCall[], signal: AbortSignal | undefined): Promise<void> {
    const names = calls.map(requestedName);
    return new Promise((resolve) => {
      const go = (): void => {
        this.#waiting?.delete(go);
        forget();
        signal?.removeEventListener("abort", go);
        resolve();
      };
      (this.#waiting ??= new Set()).add(go);
      const forget = this.#engine.drain.whenRefusing(go);
      signal?.addEventListener("abort", go, { once: true });
      if (this.#refusal !== undefined || signal?.aborted === true) go();
      else void this.#engine.registry.whenThere(names, this.#toolset).then(go);
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
