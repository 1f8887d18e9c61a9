import type { ToolEventListener } from "../events/tool-event.ts";
import { mayRun } from "../policy/decide.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { Toolset } from "../registry/toolset.ts";
import type { Answer, Interruption } from "../spec/interruption.ts";
import type { ToolCall } from "../spec/tool-call.ts";
import type { ToolOutcome } from "../spec/tool-result.ts";
import type { Engine } from "./engine.ts";
import { engineOf, type ExecutorOptions } from "./executor-options.ts";
import { resume } from "./resume.ts";
import { ToolRun, type CallOptions, type RunOptions } from "./tool-run.ts";

/** What an interrupted call goes on with. */
export interface ResumeOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /**
   * The run to go on in, when the one that was interrupted has ended: of this executor, for the same
   * caller and session; anything else fails with `approval_invalid`. Default: the interrupted run.
   */
  readonly run?: ToolRun;
}

const noOptions = {};

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
  readonly #engine: Engine;
  readonly #current = (): Toolset => this.toolset;
  #advertised: Toolset | undefined;
  #followsRegistry = false;

  /** @throws ToolError `internal` when an option makes no sense. */
  constructor(options: ExecutorOptions) {
    this.#engine = engineOf(this, options);
    this.registry = options.registry;
  }

  /** Everything that the policy may let run, as it is now: what a model is shown. */
  get toolset(): Toolset {
    const all = this.registry.toolset();
    if (this.#advertised?.version !== all.version) {
      this.#advertised = all.filter((entry) =>
        this.#engine.policies.every((policy) => mayRun(policy, entry)),
      );
    }
    return this.#advertised;
  }

  /**
   * Starts a run: several calls for one caller, with limits, a signal and values of their own.
   *
   * @throws ToolError `internal` when a limit makes no sense.
   */
  startRun(options: RunOptions = noOptions): ToolRun {
    return new ToolRun(this.#engine, this.#current, options);
  }

  /**
   * Runs one call, as a run of its own. Never rejects: what goes wrong is in the outcome.
   *
   * @param call what the model asks for.
   */
  execute(call: ToolCall, options: RunOptions & CallOptions = noOptions): Promise<ToolOutcome> {
    if (options.signal === undefined) return this.startRun(options).execute(call, options);
    // The signal is the call's: a listener of the run's would outlive it.
    const { signal: _, ...runOptions } = options;
    return this.startRun(runOptions).execute(call, options);
  }

  /**
   * Goes on with an interrupted call, in this process. The call starts again at stage 1 from the
   * arguments that were admitted; what was agreed to is exactly what a person saw. Never rejects:
   * an expired, replayed or changed interruption fails with `approval_invalid`.
   *
   * @param answers one for each request, or one without `requestId` for all.
   */
  resume(
    interruption: Interruption,
    answers: readonly Answer[],
    options: ResumeOptions = {},
  ): Promise<ToolOutcome> {
    return resume(this.#engine, this.#current, interruption, answers, options);
  }

  /**
   * Calls `listener` with every event; returns what stops it. Without a listener events cost
   * nothing.
   */
  on(listener: ToolEventListener): () => void {
    if (!this.#followsRegistry) {
      this.#followsRegistry = true;
      this.registry.onChange((diff) =>
        this.#engine.events.emit({ type: "registry.changed", ...diff }),
      );
    }
    return this.#engine.events.listen(listener);
  }
}
