import { readInterruption, requestedName } from "./call/read-call.ts";
import { EventReader, type EventsOptions } from "../events/event-reader.ts";
import type { QueuedEvent, ToolEventListener } from "../events/tool-event.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { Tool, Toolset } from "../contract/tool.ts";
import type { CalledInput, CalledValue, TypedCallOptions } from "../contract/tool-types.ts";
import type { JsonObject } from "../json/json.ts";
import { mayRun, type PolicyLayer } from "../policy/decision.ts";
import type { Caller } from "../contract/caller.ts";
import type { Answer, Interruption } from "../contract/interruption.ts";
import type { ToolCall } from "../contract/tool-call.ts";
import type { ToolOutcome } from "../contract/tool-result.ts";
import { checkOptions, checkSignal } from "../contract/check-options.ts";
import { atLeastZero } from "../contract/option-checks.ts";
import { builtInFactories, BuiltInTools } from "../built-in/built-in-tools.ts";
import { ExecutorTasks } from "../tasks/executor-tasks.ts";
import { ToolError } from "../contract/tool-error.ts";
import type { ExecutorLimits } from "../limits/executor-limits.ts";
import type { ConfigurationWarning } from "../policy/rule-warnings.ts";
import { configurationWarnings, warnOfMisspeltRules } from "./configuration-warnings.ts";
import type { CallServices } from "./call/call-state.ts";
import type { DrainOptions } from "./call/drain.ts";
import { createServices } from "./create-services.ts";
import type { ExecutorOptions } from "./executor-options.ts";
import type { InterruptionOrigin } from "./resume/resume.ts";
import type { ExplainedCall, ExplainOptions, Explanation } from "./explain.ts";
import {
  callOptionNames,
  checkCallOptions,
  checkOnUpdate,
  runChecks,
  type RunOptions,
} from "./batch/check-call-options.ts";
import type { CallOptions } from "../contract/call-options.ts";
import { untilAborted } from "../time/waiting.ts";
import { BaseRun } from "./base-run.ts";
import { ExecutorView } from "./executor-view.ts";

/** One agent run: its caller, its values, its limits, and the tools that may be called now. */
export class ToolRun extends BaseRun<ToolExecutor> {}

/** Options for resuming an interrupted call. */
export interface ResumeOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The run in which the call is resumed, when the interrupted one has ended: of this executor, for the same caller and
   * session; any other fails with `approval_invalid`. Default: the interrupted run. If that was disposed of, or belongs
   * to another process: a new run like it, without its limits.
   */
  readonly run?: ToolRun;
  /** Value that tools receive as `ctx.injected` in a new run. A run that still exists keeps its own. */
  readonly injected?: unknown;
  /** Receives the partial outputs of the tool, as with `execute`. */
  readonly onUpdate?: CallOptions["onUpdate"];
}

const noOptions = {};
const callNames: readonly string[] = [...new Set([...callOptionNames, ...Object.keys(runChecks)])];
const resumeNames: readonly string[] = [
  "signal",
  "run",
  "injected",
  "onUpdate",
] satisfies readonly (keyof ResumeOptions)[];

/**
 * The only way to run a tool: validates, authorises, runs, bounds and reports every call.
 *
 * @example
 * ```ts
 * const executor = new ToolExecutor({ registry: new ToolRegistry([add]) });
 * const outcome = await executor.execute({ id: "1", name: "add", arguments: { a: 1, b: 2 } });
 * ```
 */
export class ToolExecutor extends ExecutorView {
  override readonly registry: ToolRegistry;
  readonly #engine: CallServices;
  readonly #limits: ExecutorLimits | undefined;
  readonly #dependsOnCaller: boolean;
  /**
   * The built-in tools.
   *
   * @internal
   */
  readonly helpers: BuiltInTools;
  /** Provides the toolset of calls without a caller. */
  #anonymousRun: ToolRun | undefined;
  #permitted: Toolset | undefined;
  /** Toolsets by caller, for policies that depend on it. */
  #permittedTo = new WeakMap<Caller, Toolset>();
  /** The parts for models of the cached toolsets. */
  readonly #advertised = new WeakMap<Toolset, Toolset>();
  /** The registry's toolset from which the cached toolsets were created. */
  #snapshot: Toolset | undefined;
  #followsRegistry = false;
  /** The host has been warned of misspelt rules, or looks for them itself. */
  #hasCheckedRules = false;
  #tasks: ExecutorTasks | undefined;

  /** @throws ToolError `invalid_configuration` when an option is not valid. */
  constructor(options: ExecutorOptions) {
    super();
    this.#engine = createServices(this, options);
    this.#limits = options.limits;
    this.#dependsOnCaller = this.#engine.policies.some(({ dependsOnCaller }) => dependsOnCaller);
    this.registry = options.registry;
    this.helpers = new BuiltInTools(
      this.#engine.policies,
      builtInFactories(this.#engine, () => this.tasks),
      options.artifacts !== undefined,
    );
    if (this.#engine.events.active) this.#followRegistry();
    for (const hook of this.#engine.hooks.onEvent) this.on((event) => hook.onEvent(event));
  }

  /** @internal */
  protected override get services(): CallServices {
    return this.#engine;
  }

  /**
   * The current toolset for calls without a caller: every tool that the policy may let run, as a model would get it.
   */
  get toolset(): Toolset {
    return (this.#anonymousRun ??= new ToolRun(this.#engine, noOptions)).toolset;
  }

  /**
   * Every tool that a model may be given for a caller, without built-in tools.
   *
   * @internal
   */
  advertised(caller: Caller | undefined): Toolset {
    const all = this.permitted(caller);
    let advertised = this.#advertised.get(all);
    if (advertised === undefined) {
      advertised = all.filter(({ tool }) => tool.spec.visibility !== "app");
      this.#advertised.set(all, advertised);
    }
    return advertised;
  }

  /**
   * The tools that the policy may let run for a caller, also those that no model is given (`visibility: "app"`). Without
   * built-in tools. The same object until a tool changes.
   */
  permitted(caller: Caller | undefined): Toolset {
    const all = this.registry.toolset();
    // By object: the same version may have other objects for the same tools.
    if (this.#snapshot !== all) {
      this.#snapshot = all;
      this.#permitted = undefined;
      this.#permittedTo = new WeakMap();
      if (!this.#hasCheckedRules) this.#hasCheckedRules = warnOfMisspeltRules(this.#engine);
    }
    return this.#dependsOnCaller && caller !== undefined
      ? this.#permittedFor(caller, all)
      : (this.#permitted ??= permitted(all, this.#engine.policies, undefined));
  }

  #permittedFor(caller: Caller, all: Toolset): Toolset {
    let toolset = this.#permittedTo.get(caller);
    if (toolset === undefined) {
      toolset = permitted(all, this.#engine.policies, caller);
      this.#permittedTo.set(caller, toolset);
    }
    return toolset;
  }

  /**
   * Starts a run: several calls for one caller, with limits, a signal and values of their own.
   *
   * @throws ToolError `invalid_configuration` when an option, a limit or the caller is not valid.
   */
  startRun(options: RunOptions = noOptions): ToolRun {
    if (options !== noOptions) {
      checkOptions("executor.startRun", options, runChecks);
      checkSignal("executor.startRun", options.signal);
    }
    return new ToolRun(this.#engine, options);
  }

  /**
   * Runs one call, as a run of its own. Never rejects: errors are in the outcome.
   *
   * @param call as the model made it.
   * @throws ToolError `invalid_configuration` when an option is not valid; nothing has run then.
   */
  execute(call: ToolCall, options: RunOptions & CallOptions = noOptions): Promise<ToolOutcome> {
    if (options === noOptions) return new ToolRun(this.#engine, options).execute(call);
    checkOptions("executor.execute", options, callNames);
    checkCallOptions("executor.execute", options);
    // The signal belongs to the call: a listener of the run would outlive it.
    const { timeoutMs, deadlineMs, signal, onUpdate, asTask, ...runOptions } = options;
    const callOptions = { timeoutMs, deadlineMs, signal, onUpdate, asTask };
    return new ToolRun(this.#engine, runOptions).execute(call, callOptions);
  }

  /**
   * Calls a tool from a program, with typed arguments and a typed result. The same as `execute` with an id of its own:
   * the policy applies, and errors are in the outcome.
   *
   * ```ts
   * const outcome = await executor.call(add, { a: 1, b: 2 });
   * if (outcome.ok) console.log(outcome.result.value);
   * ```
   *
   * @param tool as `defineTool` made it, or its name: the tool that is registered under that name runs. `ToolTypes` has
   * the types of names.
   * @param options of the run and of the call. Required for a tool that declares the type of its injected values.
   * @throws ToolError `invalid_configuration` when an option is not valid; nothing has run then.
   */
  call<const Called extends Tool | string>(
    tool: Called,
    args: CalledInput<Called>,
    ...[options]: TypedCallOptions<RunOptions, Called>
  ): Promise<ToolOutcome<CalledValue<Called>>> {
    const name = typeof tool === "string" ? tool : tool.spec.name;
    const call = { id: crypto.randomUUID(), name, arguments: args as JsonObject };
    return this.execute(call, options) as Promise<ToolOutcome<CalledValue<Called>>>;
  }

  /**
   * Resumes an interrupted call, made here or by another executor with the same `key`. The call starts again at stage 1
   * from the arguments that were admitted; the approval covers exactly what the person saw. It runs at most once for
   * each store of pending calls. If the call has ended within the last 10 minutes, the same answers as before get the
   * same outcome again, and nothing runs. Never rejects:
   *
   * - `approval_invalid`: expired, answered differently before, changed, sealed with another key, of another caller or
   *   session, or the answers do not match the requests. A call that was refused for its answers, its `run` or its key
   *   is still pending, and can be resumed correctly.
   * - `outcome_unknown`: the call was resumed before and did not end. It is not run again.
   * - `store_unavailable`: the store does not answer. Try again.
   *
   * @param interruption unchanged.
   * @param answers one for each request, or one without `requestId` for all.
   * @throws ToolError `invalid_configuration` when an option is not valid; the call is still pending then.
   */
  resume(
    interruption: Interruption,
    answers: readonly Answer[],
    options: ResumeOptions = noOptions,
  ): Promise<ToolOutcome> {
    if (options !== noOptions) {
      checkOptions("executor.resume", options, resumeNames);
      checkSignal("executor.resume", options.signal);
      checkOnUpdate("executor.resume", options.onUpdate);
    }
    const given = readInterruption(interruption);
    const resumed = (): Promise<ToolOutcome> => {
      const resumeWith = {
        ...options,
        refusal: this.#engine.drain.refusal,
        newRun: (like: RunOptions, turn?: number) => new ToolRun(this.#engine, like, turn),
      };
      return import("./resume/resume.ts").then(({ resume }) =>
        resume(this.#engine, given, answers, resumeWith),
      );
    };
    const go = (): Promise<ToolOutcome> => this.#engine.drain.keep(resumed());
    // A source that never loads must not delay the drain.
    return this.registry.loading
      ? untilAborted(this.registry.whenThere([requestedName(given.call)]), options.signal).then(go)
      : go();
  }

  /**
   * Verifies an interruption before it is displayed. `undefined`: it was changed, or sealed with another key, and
   * `resume` refuses it. The call stays pending. Never rejects.
   */
  async inspect(interruption: Interruption): Promise<InterruptionOrigin | undefined> {
    return (await import("./resume/resume.ts")).getInterruptionOrigin(this.#engine, interruption);
  }

  /**
   * Explains which result a call would have, and which rule decides. Nothing runs: the tool's `preflight` is called, no
   * hook is called, nothing is counted, and no event is emitted.
   *
   * @param call without `arguments` to explain the tool.
   * @throws ToolError `store_unavailable` (by rejecting) when the store of grants does not answer.
   */
  async explain(call: ExplainedCall, options: ExplainOptions = noOptions): Promise<Explanation> {
    if (this.registry.loading)
      await this.registry.whenThere([requestedName(call)], options.toolset);
    const { explain } = await import("./explain.ts");
    return explain(this.#engine, call, options);
  }

  /**
   * Finds configuration that is valid and has no effect: rules of the policy that can never match, and globs of policy
   * and limits that match no tool. Until every source has loaded, and while one has failed, only findings that do not
   * depend on the tools. Computed on each call, for a command or a log at startup; no finding stops a call. Without it,
   * only a rule that denies or asks, and whose tool has a misspelt name, is a process warning
   * (`TOOLWEAVE_POLICY_UNMATCHED`), once all sources have loaded.
   */
  configurationWarnings(): readonly ConfigurationWarning[] {
    this.#hasCheckedRules = true;
    return configurationWarnings(this.#engine, this.#limits);
  }

  /** Calls that run as tasks: their status, their results, and their cancellation. */
  get tasks(): ExecutorTasks {
    return (this.#tasks ??= new ExecutorTasks(this.#engine));
  }

  /**
   * Drains the executor before the process exits: new calls fail with `unavailable`; active calls and tasks get
   * `graceMs` to end, then they are cancelled. Calls that wait for a person stay pending, and cannot be resumed here
   * any more. Resolves when no call is active and all stores are written. A tool that ignores its cancellation is not
   * awaited.
   *
   * @example
   * ```ts
   * process.once("SIGTERM", () => executor.drain({ graceMs: 20_000 }).then(() => process.exit()));
   * ```
   *
   * @throws ToolError `invalid_configuration` (by rejecting) when `graceMs` is not a number of 0 or more.
   */
  async drain(options: DrainOptions = noOptions): Promise<void> {
    checkOptions("executor.drain", options, ["graceMs"]);
    const { graceMs = 10_000 } = options;
    atLeastZero.check("executor.drain: graceMs", graceMs);
    return this.#engine.drain.begin(graceMs);
  }

  /** Drains the executor with the default grace period. The host closes the registry. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.drain();
  }

  /**
   * Calls `listener` with every event; returns a function that removes it. Without a listener, events cost nothing. The
   * listener runs synchronously within the call: use `events()` for slow processing.
   *
   * @throws ToolError `invalid_configuration` when it is not a function.
   */
  on(listener: ToolEventListener): () => void;
  /**
   * @param wanted returns whether the listener wants events at the moment; while no listener does, events cost nothing.
   * @internal
   */
  on(listener: ToolEventListener, wanted: () => boolean): () => void;
  on(listener: ToolEventListener, wanted?: () => boolean): () => void {
    if (typeof listener !== "function") {
      throw new ToolError(
        "invalid_configuration",
        "executor.on takes a function: executor.on((event) => …).",
      );
    }
    this.#followRegistry();
    return this.#engine.events.listen(listener, wanted);
  }

  /**
   * The events from now on, for slow readers. Up to `maxQueued` events are queued; of a call's updates and progress
   * only the latest is. When the queue is full, the oldest updates and progress are dropped first, then the oldest
   * events; `events.dropped` takes their place. Leaving the loop, or `return()`, ends it; until then it listens.
   *
   * @example
   * ```ts
   * for await (const event of executor.events()) {
   *   if (event.type === "tool.completed") break;
   * }
   * ```
   *
   * @throws ToolError `invalid_configuration` when an option is not valid, or `after` is set and the executor has no `eventBacklog`.
   */
  events(options: EventsOptions = noOptions): AsyncIterableIterator<QueuedEvent, undefined> {
    this.#followRegistry();
    return new EventReader(this.#engine.events, options);
  }

  #followRegistry(): void {
    if (this.#followsRegistry) return;
    this.#followsRegistry = true;
    this.registry.onChange((diff) =>
      this.#engine.events.emit({ type: "registry.changed", ...diff }),
    );
  }
}

function permitted(
  all: Toolset,
  policies: readonly PolicyLayer[],
  caller: Caller | undefined,
): Toolset {
  if (policies.every(({ hidesNothing }) => hidesNothing)) return all;
  return all.filter((entry) => mayRun(policies, entry, caller));
}
