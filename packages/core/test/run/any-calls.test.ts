import { FakeClock } from "@toolweave/test-support/fake-clock";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  suspend,
  type ExecuteAllOptions,
  type FinishedCall,
  type Tool,
  type ToolCallEvent,
  type ToolOutcome,
} from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";

const kinds = [
  "ok",
  "throws",
  "asks",
  "suspends",
  "hangs",
  "unknown",
  "invalid",
  "blocked",
] as const;

interface Step {
  readonly kind: (typeof kinds)[number];
  /** Its duration; for one that hangs, its timeout. */
  readonly ms: number;
  readonly hookMs: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds, "ok", "ok", "ok"),
  ms: fc.nat(40),
  hookMs: fc.constantFrom(0, 0, 3),
});

const scenario = fc.record({
  steps: fc.array(step, { maxLength: 10 }),
  strategy: fc.oneof(
    fc.constantFrom("parallel" as const, "sequential" as const),
    fc.record({ batched: fc.integer({ min: 1, max: 4 }) }),
  ),
  maxConcurrency: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  steers: fc.boolean(),
  /** The steering call that is answered with a reason to stop. */
  stopAt: fc.option(fc.nat(4), { nil: undefined }),
  steerMs: fc.constantFrom(0, 5),
  cancelAt: fc.option(fc.nat(120), { nil: undefined }),
  streamed: fc.boolean(),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** The result of a call that is not stopped. */
function expected({ kind }: Step): ToolOutcome["status"] {
  if (kind === "ok") return "completed";
  return kind === "asks" || kind === "suspends" ? "interrupted" : "failed";
}

/** The outcomes of a stream, each at its index. */
async function inPlace(stream: AsyncIterable<FinishedCall>): Promise<readonly ToolOutcome[]> {
  const outcomes: ToolOutcome[] = [];
  for await (const { index, outcome } of stream) {
    if (index in outcomes) throw new Error(`${index} was returned twice`);
    outcomes[index] = outcome;
  }
  return outcomes;
}

/** Makes the calls, and returns everything that could be observed. */
async function play(given: Scenario) {
  const { steps, strategy, maxConcurrency, steers, stopAt, steerMs, cancelAt, streamed } = given;
  const clock = new FakeClock();
  const wait = (ms: number): Promise<void> =>
    ms === 0 ? Promise.resolve() : new Promise((resolve) => clock.setTimeout(resolve, ms));
  const ran: { readonly at: number; readonly what: "start" | "end" }[] = [];
  const createTool = ({ kind, ms }: Step, at: number): Tool =>
    tool(
      `t${at}`,
      async (_, { signal }) => {
        ran.push({ at, what: "start" });
        let over = false;
        const end = (): void => {
          if (!over) ran.push({ at, what: "end" });
          over = true;
        };
        // A stopped call no longer counts, though it may continue.
        signal.addEventListener("abort", end);
        if (kind === "hangs") return new Promise<string>(() => {});
        await wait(ms);
        end();
        if (kind === "throws") throw new Error("no");
        if (kind !== "suspends") return "ok";
        return suspend([{ id: "r", type: "input", message: "?" }], at);
      },
      {
        needsApproval: kind === "asks",
        timeoutMs: kind === "hangs" ? ms + 1 : 0,
        ...(kind === "invalid" ? { input: { type: "object", required: ["x"] } } : {}),
      },
    );
  const executor = executorFor(
    [tool("more"), ...steps.map(createTool).filter((_, at) => steps[at]?.kind !== "unknown")],
    {
      clock,
      maxTimeoutMs: 0,
      hooks: [
        {
          beforeCall: async ({ callId }) => {
            const step = steps[Number(callId)];
            await wait(step?.hookMs ?? 0);
            return step?.kind === "blocked" ? { block: "no" } : undefined;
          },
        },
      ],
    },
  );
  const events: ToolCallEvent[] = [];
  executor.on((event) => event.type !== "registry.changed" && events.push(event));
  const run = executor.startRun({ limits: { calls: steps.length } });
  const calls = steps.map((_, at) => call(`t${at}`, {}, `${at}`));
  /** The number of calls that steering received, each time. */
  const reported: number[] = [];
  const options: ExecuteAllOptions = {
    strategy,
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    ...(!steers
      ? {}
      : {
          stopWhen: async ({ finished, remaining }) => {
            const question = reported.push(finished.length + remaining.length) - 1;
            await wait(steerMs);
            return question === stopAt ? "stop" : undefined;
          },
        }),
  };
  const ended = streamed ? inPlace(run.stream(calls, options)) : run.executeAll(calls, options);
  const state = { over: false, cancelled: false };
  const all = ended.finally(() => (state.over = true));
  if (cancelAt !== undefined) {
    clock.setTimeout(() => (run.cancel(), (state.cancelled = true)), cancelAt);
  }
  // Storing an interruption takes real time, too: a caller that waits for it sets timers later.
  while (!state.over) await clock.advance(100);
  const outcomes = await all;
  const seen = [...events];
  const more = await run.executeAll(Array.from(steps, () => call("more")));
  const left = more.filter(({ status }) => status === "completed").length;
  return { calls, outcomes, events: seen, ran, reported, left, cancelled: state.cancelled };
}

test("whatever the calls, the strategy, the steering and the cancellation, the guarantees hold", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { steps, strategy, maxConcurrency, steers, stopAt, cancelAt } = given;
      const { calls, outcomes, events, ran, reported, left, cancelled } = await play(given);
      const own = (id: string, pattern: RegExp): ToolCallEvent[] =>
        events.filter(({ callId, type }) => callId === id && pattern.test(type));

      // One result per call, in call order.
      const ids = outcomes.map((outcome) =>
        outcome.status === "interrupted" ? outcome.interruption.call.id : outcome.result.callId,
      );
      expect(ids).toEqual(calls.map(({ id }) => id));
      const stopped = cancelAt !== undefined || (steers && stopAt !== undefined);
      const statuses = outcomes.map(({ status }) => status);
      expect(statuses).toEqual(stopped ? statuses : steps.map(expected));

      // Every call is requested once and ends once; a call that starts once ends as a started one.
      for (const { id } of calls) {
        const started = own(id, /started/).length;
        expect(own(id, /requested/)).toHaveLength(1);
        expect(own(id, /completed|failed|suspended/)).toHaveLength(started);
        expect(own(id, /rejected|interrupted/)).toHaveLength(1 - started);
      }

      // A skipped call never started, and steering has returned the reason.
      const skipped = events.filter((event) => "code" in event && event.code === "skipped");
      expect(skipped.filter(({ callId }) => own(callId, /started/).length > 0)).toEqual([]);
      expect(skipped.length > 0 && !(reported.length > (stopAt ?? Infinity))).toBe(false);
      expect(reported.filter((count) => count !== steps.length)).toEqual([]);

      // They start in call order, and none before all are admitted or refused.
      const starts = ran.filter(({ what }) => what === "start").map(({ at }) => at);
      expect(starts).toEqual(starts.toSorted((a, b) => a - b));
      const admitted = events.findLastIndex(({ type }) => type === "tool.authorized");
      expect(events.slice(0, admitted).filter(({ type }) => type === "tool.started")).toEqual([]);

      // Never more at once than the strategy and the limit allow.
      const size =
        strategy === "parallel" ? Infinity : strategy === "sequential" ? 1 : strategy.batched;
      let running = 0;
      let most = 0;
      for (const { what } of ran) {
        running += what === "start" ? 1 : -1;
        most = Math.max(most, running);
      }
      expect(most).toBeLessThanOrEqual(
        Math.min(size, maxConcurrency ?? (size === Infinity ? 8 : size)),
      );

      // A batch starts when all of the previous batch have ended.
      const place = (at: number, what: string): number =>
        ran.findIndex((entry) => entry.at === at && entry.what === what);
      const early = starts.filter((at, nth) =>
        starts
          .slice(0, size === Infinity ? 0 : nth - (nth % size))
          .some((before) => place(before, "end") > place(at, "start")),
      );
      expect(early).toEqual([]);

      // Every call that did not start has released its reservation.
      const spent = events.filter(({ type }) => /completed|failed|suspended/.test(type)).length;
      expect(left).toBe(cancelled ? 0 : steps.length - spent);
    }),
    { numRuns: 150 },
  );
});
