import { EventStream } from "../events/event-stream.ts";
import type { ToolEventListener } from "../events/tool-event.ts";
import { checkOptions } from "../check-options.ts";
import { mayRun } from "../policy/decide.ts";
import type { PolicyInput } from "../policy/policy.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { Toolset } from "../registry/toolset.ts";
import { ajvValidator } from "../schema/ajv-validator.ts";
import { SchemaCache } from "../schema/schema-cache.ts";
import type { SchemaValidator } from "../schema/schema-validator.ts";
import type { Answer, Interruption } from "../spec/interruption.ts";
import type { ToolCall } from "../spec/tool-call.ts";
import type { ToolOutcome } from "../spec/tool-result.ts";
import { ToolError } from "../tool-error.ts";
import { systemClock, type Clock } from "./clock.ts";
import type { Engine } from "./engine.ts";
import { execute, leave } from "./execute.ts";
import type { Hook } from "./hooks.ts";
import { InFlight } from "./in-flight.ts";
import type { OnAsk } from "./on-ask.ts";
import { PendingCalls } from "./pending-calls.ts";
import { resume } from "./resume.ts";
import { ToolRun, type CallOptions, type RunOptions } from "./tool-run.ts";

/** What an executor is made with. Only the registry has no default. */
export interface ExecutorOptions {
  readonly registry: ToolRegistry;
  /** What may run, and what asks first. Default: `supervised`. */
  readonly policy?: PolicyInput;
  /** What happens when the policy asks. Default: `interrupt`. */
  readonly onAsk?: OnAsk;
  /** Host code around every call. */
  readonly hooks?: readonly Hook[];
  /** Milliseconds for one attempt of a tool that names no timeout. 0: none. Default: 60,000. */
  readonly timeoutMs?: number;
  /** No attempt gets more milliseconds than this. 0: no cap. Default: 600,000. */
  readonly maxTimeoutMs?: number;
  /** Bytes of content that a model gets of one result, in UTF-8. Default: 50,000. */
  readonly maxOutputBytes?: number;
  /** Arguments that the schema does not name: as the schema says (default), dropped, or refused. */
  readonly undeclaredArguments?: "schema" | "strip" | "reject";
  /** Default: Ajv, loaded when first needed. */
  readonly validator?: SchemaValidator;
  /** Default: the platform's. */
  readonly clock?: Clock;
}

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

const optionNames: readonly string[] = [
  "registry",
  "policy",
  "onAsk",
  "hooks",
  "timeoutMs",
  "maxTimeoutMs",
  "maxOutputBytes",
  "undeclaredArguments",
  "validator",
  "clock",
] satisfies readonly (keyof ExecutorOptions)[];

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
    checkOptions("new ToolExecutor", options, optionNames);
    // Not by class: the registry may be of another copy of this package.
    if (typeof options.registry?.toolset !== "function") {
      throw new ToolError(
        "internal",
        "new ToolExecutor needs a registry: { registry: new ToolRegistry([…]) }.",
      );
    }
    const clock = options.clock ?? systemClock;
    this.registry = options.registry;
    this.#engine = {
      executor: this,
      execute,
      leave,
      registry: options.registry,
      policies: [preset(options.policy ?? "supervised")],
      onAsk: options.onAsk ?? "interrupt",
      clock,
      timeoutMs: atLeastZero("timeoutMs", options.timeoutMs ?? 60_000),
      maxTimeoutMs: atLeastZero("maxTimeoutMs", options.maxTimeoutMs ?? 600_000),
      maxOutputBytes: atLeastZero("maxOutputBytes", options.maxOutputBytes ?? 50_000),
      undeclaredArguments: options.undeclaredArguments ?? "schema",
      // `sort` is stable: ties stay in order of registration.
      hooks: [...(options.hooks ?? [])].sort((a, b) => (a.priority ?? 0) - (b.priority ?? 0)),
      schemas: new SchemaCache(options.validator ?? ajvValidator()),
      inFlight: new InFlight(clock),
      events: new EventStream(clock),
      pending: new PendingCalls(),
    };
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

function preset(policy: PolicyInput): PolicyInput {
  if (["readOnly", "supervised", "autonomous", "strict"].includes(policy)) return policy;
  throw new ToolError(
    "internal",
    `"${String(policy)}" is no policy: use readOnly, supervised, autonomous or strict.`,
  );
}

function atLeastZero(option: string, value: number): number {
  if (value >= 0) return value;
  throw new ToolError("internal", `${option} is ${value}; use 0 or more.`);
}
