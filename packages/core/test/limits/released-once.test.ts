import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  suspend,
  ToolError,
  type ConcurrencyLimits,
  type Interruption,
  type JsonObject,
  type Tool,
  type ToolCall,
  type ToolEvent,
  type ToolOutcome,
  type ToolRun,
} from "@toolweave/core";
import { memoryRateLimits, type RateLimitStore } from "@toolweave/core/stores";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { completed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";
import { shop } from "./controlled.ts";

/** One call of the plan, with the calls that its tool makes. */
interface Planned {
  readonly tool: string;
  readonly ms: number;
  readonly together: boolean;
  readonly children: readonly Planned[];
}

interface Step {
  readonly calls: readonly Planned[];
  readonly run: number;
  readonly afterMs: number;
  readonly cancelAfterMs: number | undefined;
  readonly maxConcurrency: number | undefined;
}

const names = [
  ...["ok", "slow", "fails", "hangs", "ask", "blocked", "late", "wizard"],
  "flaky",
  "buy",
  "only",
];
const getSource = (name: string): string => (["late", "wizard"].includes(name) ? "far" : "host");
const rate = { calls: 6, windowMs: 1000 };
const timeoutMs = 300;
const retry = { attempts: 3, initialDelayMs: 100, retryNonIdempotent: true };

const { planned } = fc.letrec<{ planned: Planned }>((tie) => ({
  planned: fc.record({
    tool: fc.constantFrom(...names),
    ms: fc.integer({ min: 0, max: 400 }),
    together: fc.boolean(),
    children: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constant<readonly Planned[]>([]),
      fc.array(tie("planned"), { maxLength: 3 }),
    ),
  }),
}));
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const few = maybe(fc.integer({ min: 1, max: 3 }));
const steps = fc.array(
  fc.record({
    calls: fc.array(planned, { minLength: 1, maxLength: 4 }),
    run: fc.nat(1),
    afterMs: fc.integer({ min: 0, max: 200 }),
    cancelAfterMs: maybe(fc.integer({ min: 0, max: 400 })),
    maxConcurrency: few,
  }),
  { maxLength: 5 },
);
const settings = fc.record({
  max: few,
  perTool: few,
  perSource: few,
  asyncStore: fc.boolean(),
  limits: fc.record({
    calls: fc.integer({ min: 0, max: 30 }),
    callsPerTool: fc.integer({ min: 0, max: 8 }),
    spend: fc.integer({ min: 0, max: 600 }),
    identicalCalls: fc.integer({ min: 1, max: 4 }),
  }),
});

/** The running calls, by the events: never more than the limits, however the calls end. */
class Watch {
  readonly starts: { readonly runId: string; readonly tool: string; readonly at: number }[] = [];
  /**
   * Of the starts, those of calls that were suspended in the same run: they are not counted again.
   */
  readonly goneOn: { readonly runId: string; readonly tool: string }[] = [];
  /** Stored, since errors of an observer or a tool stay inside the executor. */
  readonly violations: unknown[] = [];
  readonly #running = new Map<string, string>();
  readonly #away = new Set<string>();
  readonly #suspended = new Set<string>();
  /** Between two attempts. */
  readonly #waiting = new Set<string>();
  readonly #limits: ConcurrencyLimits;
  readonly #parents = new Map<string, string>();

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  event(event: ToolEvent): void {
    if (event.type === "registry.changed" || !("callId" in event)) return;
    const { callId, tool, runId } = event as { callId: string; tool: string; runId: string };
    if (event.type === "tool.started") {
      this.starts.push({ runId, tool, at: event.time });
      if (this.#suspended.delete(`${runId} ${callId}`)) this.goneOn.push({ runId, tool });
      this.#running.set(callId, tool);
      this.#away.delete(callId);
      this.#check(callId);
    } else if (event.type === "tool.retried") {
      this.#running.delete(callId);
      this.#waiting.add(callId);
    } else if (["tool.completed", "tool.failed", "tool.suspended"].includes(event.type)) {
      this.#running.delete(callId);
      this.#waiting.delete(callId);
      if (event.type === "tool.suspended") this.#suspended.add(`${runId} ${callId}`);
    }
  }

  /** Every started call has emitted its end. */
  get idle(): boolean {
    return this.#running.size + this.#waiting.size === 0;
  }

  /** A tool waits for its nested calls. */
  async away<T>(callId: string, work: () => Promise<T>): Promise<T> {
    this.#away.add(callId);
    const result = await work();
    this.#away.delete(callId);
    this.#check(callId);
    return result;
  }

  /** The next attempt begins. */
  again(callId: string, tool: string): void {
    if (!this.#waiting.delete(callId)) return;
    this.#running.set(callId, tool);
    this.#away.delete(callId);
    this.#check(callId);
  }

  /** A tool asks to wait. The event is emitted only after that is stored. */
  suspends(callId: string): void {
    this.#away.add(callId);
  }

  child(id: string, parent: string): void {
    this.#parents.set(id, parent);
  }

  #below(id: string, ancestor: string): boolean {
    let at = this.#parents.get(id);
    while (at !== undefined && at !== ancestor) at = this.#parents.get(at);
    return at !== undefined;
  }

  #check(callId: string): void {
    if (!this.#running.has(callId)) return;
    const { max = Infinity, perTool = Infinity, perSource = Infinity } = this.#limits;
    const there = [...this.#running].filter(([id]) => !this.#away.has(id));
    if (there.length > max) this.violations.push({ max, there });
    for (const [, name] of there) {
      const same = there.filter(([, other]) => other === name);
      const near = there.filter(([, other]) => getSource(other) === getSource(name));
      if (same.length > perTool) this.violations.push({ perTool, same });
      if (near.length > perSource) this.violations.push({ perSource, near });
    }
    for (const [id, name] of this.#running) {
      if (name !== "only") continue;
      // Its own nested calls, and those that wait for a call which led to it.
      const beside = there.filter(([other]) => other !== id && !this.#below(other, id));
      if (beside.length > 0) this.violations.push({ id, beside });
    }
  }
}

/** A store that records the open reservations, and may be slow. */
function watchedStore(clock: FakeClock, takesTime: boolean) {
  const inner = memoryRateLimits(clock);
  const open = new Set<string>();
  const twice: string[] = [];
  const settle = (id: string): void => {
    if (!open.delete(id)) twice.push(id);
  };
  const sync: RateLimitStore = {
    reserve(requests) {
      const reservation = inner.reserve(requests) as { granted: boolean; id: string };
      if (reservation.granted) open.add(reservation.id);
      return reservation as never;
    },
    commit: (id) => (settle(id), inner.commit(id)),
    release: (id) => (settle(id), inner.release(id)),
  };
  const later =
    <A, R>(work: (argument: A) => R) =>
    async (argument: A): Promise<Awaited<R>> => {
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, 10));
      return await work(argument);
    };
  const store: RateLimitStore = takesTime
    ? { reserve: later(sync.reserve), commit: later(sync.commit), release: later(sync.release) }
    : sync;
  return { open, twice, store };
}

/** Advances the time until it is present; hashing does not use the fake clock. */
async function inTime<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  const there: Promise<T>[] = [];
  const note = (): unknown => there.push(promise);
  void promise.then(note, note);
  for (;;) {
    await clock.advance(1000);
    if (there[0] !== undefined) return there[0];
  }
}

test("EX13 every exit of a call releases its resources once, and no limit is ever exceeded", async () => {
  await fc.assert(
    fc.asyncProperty(steps, settings, async (plan: readonly Step[], setting) => {
      const clock = new FakeClock();
      const { open, twice, store } = watchedStore(clock, setting.asyncStore);
      const concurrency = {
        exclusive: "only",
        ...(setting.max === undefined ? {} : { max: setting.max }),
        ...(setting.perTool === undefined ? {} : { perTool: setting.perTool }),
        ...(setting.perSource === undefined ? {} : { perSource: setting.perSource }),
      };
      const watch = new Watch(concurrency);
      let calls = 0;
      const toCall = ({ tool, ms, together, children }: Planned, parent?: string): ToolCall => {
        const id = `${tool}-${++calls}`;
        if (parent !== undefined) watch.child(id, parent);
        // Calls of the plan that differ only in their ids are the same call.
        return call(tool, { ms, together, children: children as never }, id);
      };
      const wait = (ms: number): Promise<void> =>
        new Promise((resolve) => void clock.setTimeout(resolve, ms));

      /** The calls that a tool makes, and then its own end. */
      const work = (name: string): Tool["invoke"] => {
        return async (args: JsonObject, { scope, callId, resumed, attempt }) => {
          if (attempt > 1 && resumed === undefined) watch.again(callId, name);
          const { ms, together, children } = args as unknown as Planned;
          if (children.length > 0) {
            const make = (child: Planned): Promise<ToolOutcome> =>
              scope.execute(toCall(child, callId));
            if (together) await watch.away(callId, () => Promise.all(children.map(make)));
            else for (const child of children) await watch.away(callId, () => make(child));
          }
          if (name === "hangs") return new Promise<never>(() => {});
          if (name === "wizard" && resumed === undefined) {
            watch.suspends(callId);
            return suspend([{ id: "q", type: "input", message: "?" }], null);
          }
          if (name !== "ok") await wait(ms);
          if (name === "fails") throw new Error("no");
          if (name === "flaky" && attempt < 3) throw new ToolError("unavailable", "Not now.");
          return "done";
        };
      };
      const make = (name: string): Tool => ({
        ...tool(name, () => "", {
          needsApproval: name === "ask",
          ...(name === "flaky" ? { retry } : {}),
        }),
        invoke: work(name),
      });
      const executor = executorFor(
        [
          ...names.filter((name) => getSource(name) === "host" && name !== "buy").map(make),
          shop({
            preflight: ({ ms }) => [{ ...spend, details: { amount: ms as number } }],
            invoke: work("buy"),
          }),
          new TestSource("far", [make("late"), make("wizard")], { trusted: true }),
        ],
        {
          clock,
          timeoutMs,
          rateLimits: store,
          limits: { rates: [rate, { spend: 900, windowMs: 1000 }], concurrency },
          hooks: [
            {
              beforeCall: async ({ spec }) => {
                if (spec.name === "late") await wait(50);
                return spec.name === "blocked" ? { block: "no" } : undefined;
              },
            },
          ],
        },
      );
      executor.on((event) => watch.event(event));
      const runs = ["r0", "r1"].map((id) => executor.startRun({ id, limits: setting.limits }));

      const outcomes: Promise<readonly ToolOutcome[]>[] = [];
      for (const { calls, run, afterMs, cancelAfterMs, maxConcurrency } of plan) {
        const controller = new AbortController();
        const { signal } = controller;
        if (cancelAfterMs !== undefined) {
          clock.setTimeout(() => controller.abort(), cancelAfterMs);
        }
        const made = calls.map((planned) => toCall(planned));
        const on = runs[run] as ToolRun;
        outcomes.push(
          maxConcurrency === undefined
            ? Promise.all(made.map((one) => on.execute(one, { signal })))
            : on.executeAll(made, { signal, maxConcurrency }),
        );
        await clock.advance(afterMs);
      }
      const interruptions: Interruption[] = (await inTime(clock, Promise.all(outcomes)))
        .flat()
        .flatMap((outcome) => (outcome.status === "interrupted" ? [outcome.interruption] : []));
      const resumed = interruptions.map((interruption) =>
        executor.resume(interruption, [
          {
            type: interruption.requests[0]?.type === "input" ? "input" : "approve",
            value: 1,
          } as never,
        ]),
      );
      await inTime(clock, Promise.all(resumed));

      while (!watch.idle) await settled();

      expect(watch.violations).toEqual([]);
      expect([[...open], twice]).toEqual([[], []]);
      for (const [index, run] of runs.entries()) {
        const own = watch.starts.filter(({ runId }) => runId === `r${index}`);
        const goneOn = watch.goneOn.filter(({ runId }) => runId === `r${index}`);
        expect(run.counters?.calls).toBe(own.length - goneOn.length);
        for (const name of names) {
          const of = (list: readonly { readonly tool: string }[]): number =>
            list.filter(({ tool }) => tool === name).length;
          expect(run.counters?.byTool.get(name)?.calls ?? 0).toBe(of(own) - of(goneOn));
        }
        const bought = own.some(({ tool }) => tool === "buy");
        expect(run.counters?.spend).toBeLessThanOrEqual(bought ? setting.limits.spend : 0);
      }
      for (const { at } of watch.starts) {
        const within = watch.starts.filter((start) => start.at > at - 1000 && start.at <= at);
        expect(within.length).toBeLessThanOrEqual(rate.calls);
      }

      // No slot is held and no call waits for one: otherwise this call would not run, or not twice.
      for (let index = 0; index < 2; index++) {
        const probe = { tool: "only", ms: 0, together: true, children: [] };
        await clock.advance(rate.windowMs);
        completed(await inTime(clock, executor.execute(toCall(probe))));
      }
    }),
    { numRuns: 60 },
  );
});

const spend = { kind: "spend", target: "shop", summary: "Buy" };
