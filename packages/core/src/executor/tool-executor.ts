import { requestedName } from "./call/requested-name.ts";
import { EventReader, type EventsOptions } from "../events/event-reader.ts";
import type { QueuedEvent, ToolEventListener } from "../events/tool-event.ts";
import type { SecretSet } from "../redaction/secret-set.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { Toolset } from "../contract/tool.ts";
import { mayRun } from "../policy/decide.ts";
import type { PolicyLayer } from "../policy/policy-layer.ts";
import type { GrantStore } from "../approvals/grant-store.ts";
import type { Caller } from "../contract/caller.ts";
import type { Answer, Interruption } from "../contract/interruption.ts";
import type { ToolCall } from "../contract/tool-call.ts";
import type { ToolOutcome } from "../contract/tool-result.ts";
import { checkOptions, isAtLeastZero, checkSignal } from "../contract/check-options.ts";
import { builtInFactories, BuiltInTools } from "../built-in/built-in-tools.ts";
import { formatValue } from "../text/format-value.ts";
import { ExecutorTasks } from "../tasks/executor-tasks.ts";
import { ToolError } from "../contract/tool-error.ts";
import type { ExecutorLimits } from "../limits/executor-limits.ts";
import type { ConfigurationWarning } from "../policy/rule-warnings.ts";
import { configurationWarnings } from "./configuration-warnings.ts";
import type { Clock } from "../time/clock.ts";
import type { CallServices } from "./call/call-state.ts";
import { createServices, type ExecutorOptions } from "./executor-options.ts";
import { explain, type ExplainedCall, type ExplainOptions, type Explanation } from "./explain.ts";
import { resume } from "./resume/resume.ts";
import {
  callOptionNames,
  checkCallOptions,
  checkOnUpdate,
  runOptionNames,
  type RunOptions,
} from "./batch/check-call-options.ts";
import type { CallOptions } from "../contract/call-options.ts";
import { untilAborted } from "../time/until-aborted.ts";
import { ToolRun } from "./tool-run.ts";

/** What an interrupted call goes on with. */
export interface ResumeOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The run to go on in, when the one that was interrupted has ended: of this executor, for the same
   * caller and session; anything else fails with `approval_invalid`. Default: the interrupted run; when
   * that was disposed of, or is of another process, a new one like it, without its limits.
   */
  readonly run?: ToolRun;
  /** What tools get as `ctx.injected` in a new run. A run that is still here keeps its own. */
  readonly injected?: unknown;
  /** As with `execute`: the partial outputs of the tool, for user interfaces. */
  readonly onUpdate?: CallOptions["onUpdate"];
}

/** How an executor comes to rest. */
export interface DrainOptions {
  /** Milliseconds for calls that are under way. Default: 10,000. */
  readonly graceMs?: number;
}

const noOptions = {};

const callNames: readonly string[] = [...new Set([...callOptionNames, ...runOptionNames])];
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
 * ```js
 * const executor = new ToolExecutor({ registry: new ToolRegistry([add]) });
 * const outcome = await executor.execute({ id: "1", name: "add", arguments: { a: 1, b: 2 } });
 * ```
 */
export class ToolExecutor {
  readonly registry: ToolRegistry;
  readonly #engine: CallServices;
  readonly #limits: ExecutorLimits | undefined;
  readonly #dependsOnCaller: boolean;
  /**
   * The tools that it adds by itself.
   *
   * @internal
   */
  readonly helpers: BuiltInTools;
  /** What calls without a caller are made in, for its toolset. */
  #anonymousRun: ToolRun | undefined;
  #advertised: Toolset | undefined;
  /** The same for one caller, where that makes a difference. */
  #advertisedTo = new WeakMap<Caller, Toolset>();
  /** What they were made of. */
  #snapshot: Toolset | undefined;
  #followsRegistry = false;
  #tasks: ExecutorTasks | undefined;

  /** @throws ToolError `internal` when an option makes no sense. */
  constructor(options: ExecutorOptions) {
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

  /** Everything that the policy may let run, as it is now, for calls without a caller: what a model is shown. */
  get toolset(): Toolset {
    return (this.#anonymousRun ??= new ToolRun(this.#engine, noOptions)).toolset;
  }

  /**
   * Everything that the policy may let run for a caller, without helper tools.
   *
   * @internal
   */
  advertised(caller: Caller | undefined): Toolset {
    const all = this.registry.toolset();
    // By object: the same version may have other objects for the same tools.
    if (this.#snapshot !== all) {
      this.#snapshot = all;
      this.#advertised = undefined;
      this.#advertisedTo = new WeakMap();
    }
    if (!this.#dependsOnCaller || caller === undefined) {
      return (this.#advertised ??= permitted(all, this.#engine.policies, undefined));
    }
    let toolset = this.#advertisedTo.get(caller);
    if (toolset === undefined) {
      toolset = permitted(all, this.#engine.policies, caller);
      this.#advertisedTo.set(caller, toolset);
    }
    return toolset;
  }

  /** Values that must never come out of it. Whoever obtains a credential adds it here, or to its source's. */
  get secrets(): SecretSet {
    return this.#engine.secrets;
  }

  /**
   * Starts a run: several calls for one caller, with limits, a signal and values of their own.
   *
   * @throws ToolError `internal` when an option, a limit, or the caller, makes no sense.
   */
  startRun(options: RunOptions = noOptions): ToolRun {
    if (options !== noOptions) {
      checkOptions("executor.startRun", options, runOptionNames);
      checkSignal("executor.startRun", options.signal);
    }
    return new ToolRun(this.#engine, options);
  }

  /**
   * Runs one call, as a run of its own. Never rejects: what goes wrong is in the outcome.
   *
   * @param call what the model asks for.
   * @throws ToolError `internal` when an option makes no sense; nothing has run then.
   */
  execute(call: ToolCall, options: RunOptions & CallOptions = noOptions): Promise<ToolOutcome> {
    if (options === noOptions) return new ToolRun(this.#engine, options).execute(call);
    checkOptions("executor.execute", options, callNames);
    checkCallOptions("executor.execute", options);
    // The signal is the call's: a listener of the run's would outlive it.
    const { timeoutMs, deadlineMs, signal, onUpdate, asTask, ...runOptions } = options;
    const callOptions = { timeoutMs, deadlineMs, signal, onUpdate, asTask };
    return new ToolRun(this.#engine, runOptions).execute(call, callOptions);
  }

  /**
   * Goes on with an interrupted call, made here or by another executor with the same `key`. The call
   * starts again at stage 1 from the arguments that were admitted; what was agreed to is exactly what
   * a person saw. It runs at most once for each store of pending calls. If the call has come to its end
   * within the last 10 minutes, the same answers as before get the same outcome again, and nothing
   * runs. Never rejects:
   *
   * - `approval_invalid`: expired, answered otherwise before, changed, sealed with another key, of another
   *   caller or session, or answered with what is no answer to it. What was refused for its answers,
   *   its `run` or its key still waits, and can be resumed as it should be.
   * - `outcome_unknown`: somebody went on with it and did not come to the end. It is not run again.
   * - `store_unavailable`: the store does not answer. Try again.
   *
   * @param interruption as it was; unchanged.
   * @param answers one for each request, or one without `requestId` for all.
   * @throws ToolError `internal` when an option makes no sense; the call still waits then.
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
    const go = (): Promise<ToolOutcome> =>
      this.#engine.drain.keep(
        resume(this.#engine, interruption, answers, {
          ...options,
          newRun: (like, turn) => new ToolRun(this.#engine, like, turn),
        }),
      );
    // A source that never loads must not keep the executor from coming to rest.
    return this.registry.loading
      ? untilAborted(
          this.registry.whenThere([requestedName(interruption?.call)]),
          options.signal,
        ).then(go)
      : go();
  }

  /**
   * Tells what would become of a call, and which rule decides. Nothing runs: the tool is asked only
   * what it would need (`preflight`), no hook is asked, nothing is counted, and nobody is told.
   *
   * @param call its arguments may be left out, to ask about the tool.
   * @throws ToolError `store_unavailable` (by rejecting) when the store of grants does not answer.
   */
  async explain(call: ExplainedCall, options: ExplainOptions = noOptions): Promise<Explanation> {
    if (this.registry.loading)
      await this.registry.whenThere([requestedName(call)], options.toolset);
    return explain(this.#engine, call, options);
  }

  /**
   * What it was given that is valid and has no effect: rules of its policy that can never match, and
   * globs of policy and limits that fit no tool. Until every source has loaded, and while one has
   * failed, only what holds whatever the tools are. Computed anew each time, for a command or a log at
   * the start; nothing of it stops a call.
   */
  configurationWarnings(): readonly ConfigurationWarning[] {
    return configurationWarnings(this.#engine, this.#limits);
  }

  /** What limits, deadlines and durations go by: the host's own clock, where it gave one. */
  get clock(): Clock {
    return this.#engine.clock;
  }

  /** What people have agreed to for more than one call: to be shown to them, and revoked. */
  get grants(): GrantStore {
    return this.#engine.grants;
  }

  /** The calls that go on as tasks: how they stand, what came of them, and how to end them. */
  get tasks(): ExecutorTasks {
    return (this.#tasks ??= new ExecutorTasks(this.#engine));
  }

  /**
   * Comes to rest, for a process that has to end: new calls fail with `unavailable`, those under way
   * and tasks get `graceMs` to end, then they are cancelled. Calls that wait for a person go on waiting, and
   * are not answered here any more. Resolves when no call is under way: what is in a store is there by
   * then. A tool that ignores its cancellation is not waited for.
   *
   * @example
   * ```js
   * process.once("SIGTERM", () => executor.drain({ graceMs: 20_000 }).then(() => process.exit()));
   * ```
   *
   * @throws ToolError `internal` (by rejecting) when `graceMs` is no number of 0 or more.
   */
  async drain(options: DrainOptions = noOptions): Promise<void> {
    checkOptions("executor.drain", options, ["graceMs"]);
    const { graceMs = 10_000 } = options;
    if (!isAtLeastZero(graceMs)) {
      throw new ToolError(
        "internal",
        `executor.drain: graceMs is ${formatValue(graceMs)}; use 0 or more.`,
      );
    }
    return this.#engine.drain.begin(graceMs);
  }

  /** As `drain`, with its default. The registry is closed by whoever made it. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.drain();
  }

  /**
   * Calls `listener` with every event; returns what stops it. Without a listener events cost
   * nothing. The call waits for what the listener does at once: one that takes its time reads
   * `events()`.
   *
   * @throws ToolError `internal` for what is no function.
   */
  on(listener: ToolEventListener): () => void;
  /**
   * @param wanted whether the listener wants to hear anything just now; while none does, events cost
   * nothing.
   * @internal
   */
  on(listener: ToolEventListener, wanted: () => boolean): () => void;
  on(listener: ToolEventListener, wanted?: () => boolean): () => void {
    if (typeof listener !== "function") {
      throw new ToolError("internal", "executor.on takes a function: executor.on((event) => …).");
    }
    this.#followRegistry();
    return this.#engine.events.listen(listener, wanted);
  }

  /**
   * The events from now on, for readers that take their time. As many as `maxQueued` wait for the
   * reader; of a call's updates and progress only the latest does. When there is no room, the oldest
   * updates and progress go first, then the oldest events; `events.dropped` stands for what is
   * missing. Leaving the loop, or `return()`, ends it; until then it listens.
   *
   * @example
   * ```js
   * for await (const event of executor.events()) {
   *   if (event.type === "tool.completed") break;
   * }
   * ```
   *
   * @throws ToolError `internal` when an option makes no sense, or `after` is given and the executor
   * has no `eventBacklog`.
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
