import type {
  ExecutorOptions,
  Hook,
  JsonObject,
  RateLimit,
  RunLimits,
  Tool,
  ToolCallEvent,
  ToolContext,
  ToolDefinition,
  ToolExecutor,
  ToolOutcome,
  ToolRun,
  JsonSchema,
} from "@toolweave/core";
import {
  memoryRateLimits,
  type CallLedger,
  type AuditSink,
  type RateLimitStore,
  type RateRequest,
} from "@toolweave/core/stores";
// They are loaded by the first call of a durable run otherwise, which can take longer than a test waits.
import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import "../../src/executor/stages/begin-in-ledger.ts";
import "../../src/executor/stages/end-in-ledger.ts";
import { spending } from "../limits/controlled.ts";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { key, TestStore } from "../support/pending-call-stores.ts";
import { TestSource } from "../support/test-source.ts";

/** The setup of a call that exits at some stage. Its tool is `t`, which spends 4. */
export interface Setup {
  readonly execute?: (args: JsonObject, ctx: ToolContext) => unknown;
  readonly definition?: Partial<ToolDefinition<JsonSchema>>;
  readonly tool?: Partial<Tool>;
  readonly others?: readonly Tool[];
  /** The source of `t`, instead of the host's own tools. */
  readonly instead?: TestSource;
  readonly hooks?: readonly Hook[];
  readonly limits?: RunLimits;
  readonly rate?: Partial<RateLimit>;
  readonly options?: Partial<ExecutorOptions>;
  /** The answers of a ledger: the run is durable. */
  readonly ledger?: Partial<CallLedger>;
}

/** The amount that the most used tool spends. */
export const price = 4;

/**
 * An executor with every feature enabled, and everything that can be observed of one call of it.
 */
export class Lab {
  readonly clock: FakeClock = new FakeClock();
  readonly store: TestStore;
  readonly rates: RecordingRates;
  readonly executor: ToolExecutor;
  readonly run: ToolRun;
  /** The calls that each kind of hook has seen. */
  readonly seen: Record<"before" | "around" | "after", string[]> = {
    before: [],
    around: [],
    after: [],
  };
  /** The behavior of its audit. */
  audit: AuditSink["write"] = () => {};
  isDraining = false;
  /** Replaces `t` by another tool. */
  change: () => void = () => {};
  readonly #events: ToolCallEvent[] = [];
  #from = 0;

  constructor(setup: Setup) {
    const { execute, definition, tool: more, others, hooks, limits, rate, options, ledger } = setup;
    this.store = new TestStore(this.clock);
    this.rates = new RecordingRates(this.clock);
    const made = tool("t", (args, ctx) => (execute === undefined ? "fine" : execute(args, ctx)), {
      preflight: () => [spending(price)],
      annotations: { idempotentHint: true },
      timeoutMs: 100,
      ...definition,
    });
    const t: Tool = { ...made, ...more };
    const source = setup.instead ?? new TestSource("own", [t], { trusted: true });
    this.change = () => source.set({ ...t, spec: { ...t.spec, description: "Something else." } });
    this.executor = executorFor([source, tool("probe"), ...(others ?? [])], {
      clock: this.clock,
      key,
      policy: "autonomous",
      pendingCalls: this.store,
      rateLimits: this.rates,
      limits: {
        concurrency: { max: 1 },
        rates: [{ calls: 50, spend: 500, windowMs: 60_000, tools: ["t"], ...rate }],
      },
      audit: { required: true, write: (record) => this.audit(record) },
      hooks: [this.#recorder(), ...(hooks ?? [])],
      ...(ledger === undefined
        ? {}
        : { ledger: { begin: () => ({ status: "begun" }), end: () => true, ...ledger } }),
      ...options,
    });
    this.executor.on((event) => {
      if (event.type !== "registry.changed") this.#events.push(event);
    });
    this.run = this.executor.startRun({
      durable: ledger !== undefined,
      limits: { calls: 20, callsPerTool: 20, spend: 200, ...limits },
    });
  }

  /** Drains the executor. */
  async drain(graceMs: number): Promise<void> {
    this.isDraining = true;
    return this.executor.drain({ graceMs });
  }

  /** The events of the call since `forget`. */
  get emitted(): readonly ToolCallEvent[] {
    return this.#events.slice(this.#from).filter(({ callId }) => callId === "t");
  }

  /** The number of other calls of the run that have started, of all tools or of one. */
  others(name?: string): number {
    return this.#events.filter(
      ({ type, callId, runId, tool }) =>
        type === "tool.started" &&
        callId !== "t" &&
        runId === this.run.id &&
        tool === (name ?? tool),
    ).length;
  }

  /** Makes the call. */
  execute(options?: Parameters<ToolRun["execute"]>[1]): Promise<ToolOutcome> {
    return this.run.execute(call("t"), options);
  }

  /** Earlier events are ignored: the call is resumed, or begins, now. */
  forget(): void {
    this.#from = this.#events.length;
    for (const list of Object.values(this.seen)) list.length = 0;
    this.rates.forget();
  }

  /** Advances the time until the call ends. */
  async until(outcome: Promise<ToolOutcome>, ms = 200): Promise<ToolOutcome> {
    await this.settle();
    await this.clock.advance(ms);
    return outcome;
  }

  /** Waits for work that takes no time, such as hashing. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await settled();
  }

  /** Everything that was broken works again. */
  repair(): void {
    this.audit = () => {};
    this.rates.broken = undefined;
    for (const step of ["add", "claim", "finish", "now"] as const) delete this.store.before[step];
  }

  #recorder(): Hook {
    const note = (into: keyof Lab["seen"], callId: string): void => {
      this.seen[into].push(callId);
    };
    return {
      priority: -1,
      beforeCall: ({ callId }) => note("before", callId),
      around: ({ callId }, next) => {
        note("around", callId);
        return next();
      },
      afterCall: ({ callId }) => note("after", callId),
    };
  }
}

/** A store of rates that records the end of each reservation. */
export class RecordingRates implements RateLimitStore {
  granted: string[] = [];
  committed: string[] = [];
  released: string[] = [];
  /** The request that it does not answer. */
  broken: "reserve" | "commit" | undefined;
  readonly #inner: RateLimitStore;

  constructor(clock: FakeClock) {
    this.#inner = memoryRateLimits(clock);
  }

  reserve(requests: readonly RateRequest[]): ReturnType<RateLimitStore["reserve"]> {
    if (this.broken === "reserve") throw new Error("The store is down.");
    const reservation = this.#inner.reserve(requests) as { granted: boolean; id: string };
    if (reservation.granted) this.granted.push(reservation.id);
    return reservation as never;
  }

  commit(id: string): void {
    this.committed.push(id);
    if (this.broken === "commit") throw new Error("The store is down.");
    void this.#inner.commit(id);
  }

  release(id: string): void {
    this.released.push(id);
    void this.#inner.release(id);
  }

  forget(): void {
    this.granted = [];
    this.committed = [];
    this.released = [];
  }
}
