import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import {
  suspend,
  ToolError,
  type Interruption,
  type JsonValue,
  type ToolContext,
  type ToolExecutor,
  type ToolOutcome,
} from "@toolweave/core";
import {
  memoryPendingCalls,
  type PendingCallStore,
  type RateLimitStore,
} from "@toolweave/core/stores";
import { notedStore, spending } from "../limits/controlled.ts";
import { deferred } from "../support/deferred.ts";
import {
  call,
  executorFor,
  foreignTool,
  recorded,
  tool,
  listTypes,
} from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";
import { makeDeterministic } from "./deterministic.ts";
import { thenable } from "./thenable.ts";

/** Failures that random runs have found, reduced to the minimum. */
makeDeterministic();

const never = (): Promise<never> => new Promise(() => {});
const retry = { attempts: 3, initialDelayMs: 10, retryNonIdempotent: true };
const busy = (): never => {
  throw new ToolError("unavailable", "Not now.");
};

describe("a call that is stopped while its next attempt is planned ends once", () => {
  /**
   * Plays a call of a tool that fails, which `stop` stops when it is notified of the next attempt.
   */
  async function stopped(
    work: (ctx: ToolContext, stop: () => void) => unknown,
    stops: "the event" | "the tool's signal",
  ) {
    const clock = new FakeClock();
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    const flaky = tool("t", (_, ctx) => work(ctx, stop), { timeoutMs: 50 });
    const executor = executorFor(flaky, { clock, retry });
    const events = recorded(executor);
    if (stops === "the event") {
      executor.on(({ type }) => {
        if (type === "tool.retried") stop();
      });
    }
    const outcome = executor.execute(call("t"), { signal: controller.signal });
    await clock.advance(1000);
    expect(readCode(await outcome)).toBe("cancelled");
    expect(clock.timers).toBe(0);
    return listTypes(events).slice(3);
  }
  const listening =
    (end: () => unknown) =>
    ({ signal }: ToolContext, stop: () => void): unknown => {
      signal.addEventListener("abort", stop);
      return end();
    };

  test.each([
    ["throws", busy],
    ["rejects", async () => busy()],
    ["runs out of its time", never],
  ])("by a listener for events, when the attempt %s", async (_, end) => {
    expect(await stopped(end, "the event")).toEqual(["tool.retried", "tool.failed"]);
  });

  test.each([
    ["throws", busy],
    ["rejects", async () => busy()],
    ["runs out of its time", never],
  ])("by a listener on the attempt's signal, when it %s", async (_, end) => {
    expect(await stopped(listening(end), "the tool's signal")).toEqual(["tool.failed"]);
  });
});

describe("an error that can be read only a limited number of times", () => {
  const members = ["code", "message", "retryable", "retryAfterMs"];
  const reads = [0, 1, 2, 3];

  test.each(members.flatMap((member) => reads.map((times) => [member, times] as const)))(
    "TC03 whose %s throws after %i times ends the call once",
    async (member, times) => {
      let left = times;
      const error = new ToolError("unavailable", "Now you see me.");
      const value = error[member as keyof ToolError];
      Object.defineProperty(error, member, {
        get: () => {
          if (left-- > 0) return value;
          throw new Error("Now you do not.");
        },
      });
      const clock = new FakeClock();
      const throws = tool("t", async () => {
        throw error;
      });
      const executor = executorFor(throws, { clock, retry: { ...retry, attempts: 2 } });
      const events = recorded(executor);
      const outcome = executor.execute(call("t"));
      await clock.advance(1000);
      expect((await outcome).status).toBe("failed");
      expect(listTypes(events).filter((type) => type === "tool.failed")).toHaveLength(1);
      expect(listTypes(events).at(-1)).toBe("tool.failed");
    },
  );
});

test("a call whose preflight throws an error that can be read only a limited number of times can be explained", async () => {
  for (let times = 0; times < 12; times++) {
    let left = times;
    const error = new ToolError("unavailable", "Now you see me.");
    Object.defineProperty(error, "code", {
      get: () => {
        if (left-- > 0) return "unavailable";
        throw new Error("Now you do not.");
      },
    });
    const preflight = (): never => {
      throw error;
    };
    const executor = executorFor(tool("t", undefined, { preflight }));
    expect((await executor.explain({ name: "t", arguments: {} })).effect).toBe("deny");
  }
});

describe("a call that is stopped while a record of it is being stored", () => {
  /** A call that is refused, and whose refusal is being recorded until `finish` is called. */
  function recording(limits: { calls?: number; durationMs?: number }) {
    const clock = new FakeClock();
    const waits = tool("t", undefined, { preflight: never });
    const writing: (() => void)[] = [];
    const write = (): Promise<void> => new Promise((resolve) => writing.push(resolve));
    const executor = executorFor(waits, { clock, audit: { write, required: true } });
    const events = recorded(executor);
    const run = executor.startRun({ limits });
    const finish = (): void => writing.forEach((resolve) => resolve());
    return { clock, events, run, finish, outcome: run.execute(call("t")) };
  }

  test("is rejected once: its refusal was being recorded", async () => {
    const { events, run, finish, outcome } = recording({ calls: 0 });
    await settled();
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    finish();
    await settled();
    expect(listTypes(events)).toEqual(["tool.requested", "tool.rejected"]);
  });

  test("has no deadline any more, and can be stopped again: its timeout was being recorded", async () => {
    const { clock, events, run, outcome } = recording({ durationMs: 100 });
    await clock.advance(100);
    expect(clock.timers).toBe(0);
    run.cancel();
    expect(readCode(await outcome)).toBe("limit_exceeded");
    expect(listTypes(events)).toEqual(["tool.requested", "tool.rejected"]);
  });

  test("still waits for a person if that has been emitted", async () => {
    const executor = executorFor(tool("t", undefined, { needsApproval: true }));
    const run = executor.startRun();
    const events = recorded(executor);
    executor.on(({ type }) => {
      if (type === "tool.interrupted") run.cancel();
    });
    getInterruption(await run.execute(call("t")));
    expect(listTypes(events)).toEqual(["tool.requested", "tool.interrupted"]);
  });
});

describe("an object with a then that is not a promise", () => {
  /** Returns nothing, so that nothing seems to be awaited. */
  const silent = thenable(() => undefined);

  /** The number of invocations before the call was cancelled, and afterwards. */
  async function ranWhileWaiting(make: (work: () => number) => ToolExecutor): Promise<unknown> {
    let ran = 0;
    const executor = make(() => (ran += 1));
    const controller = new AbortController();
    const run = executor.startRun({ toolset: executor.registry.toolset() });
    const outcome = run.execute(call("t"), { signal: controller.signal });
    await settled();
    const before = ran;
    controller.abort();
    return [before, readCode(await outcome), ran];
  }

  test("from a preflight does not skip the call's authorization", async () => {
    const ran = await ranWhileWaiting((invoke) => {
      const foreign = foreignTool("t", { preflight: () => silent, invoke });
      return executorFor(new TestSource("far", [foreign]), { policy: { default: "deny" } });
    });
    expect(ran).toEqual([0, "cancelled", 0]);
  });

  test("from a tool's own check does not skip that check", async () => {
    const ran = await ranWhileWaiting((work) =>
      executorFor({ ...tool("t", work), validate: () => silent }),
    );
    expect(ran).toEqual([0, "cancelled", 0]);
  });

  test("from a store of rates is not a reservation", async () => {
    const store: RateLimitStore = { reserve: () => silent, commit: () => {}, release: () => {} };
    const limits = { rates: [{ calls: 0, windowMs: 1000 }] };
    const ran = await ranWhileWaiting((work) =>
      executorFor(tool("t", work), { rateLimits: store, limits }),
    );
    expect(ran).toEqual([0, "cancelled", 0]);
  });

  test("from a tool ends the call once, though it answers twice and throws", async () => {
    const executor = executorFor(
      tool("t", () =>
        thenable((resolve, reject) => {
          resolve("first");
          reject(new Error("second"));
          throw new Error("third");
        }),
      ),
    );
    const events = recorded(executor);
    expect(completed(await executor.execute(call("t"))).result.content).toMatchObject([
      { text: "first" },
    ]);
    expect(listTypes(events).slice(3)).toEqual(["tool.completed"]);
  });
});

test("the other reservations of a call are released if the store cannot commit the first", async () => {
  const clock = new FakeClock();
  const { asked, store } = notedStore(clock);
  const broken: RateLimitStore = {
    ...store,
    commit: (id) => {
      void store.commit(id);
      throw new Error("The store is down.");
    },
  };
  const executor = executorFor(tool("t", undefined, { preflight: () => [spending(4)] }), {
    clock,
    policy: "autonomous",
    rateLimits: broken,
    limits: { rates: [{ calls: 5, spend: 5, windowMs: 1000 }] },
  });
  expect(readCode(await executor.execute(call("t")))).toBe("store_unavailable");
  expect(asked.slice(2)).toEqual(["commit 1", "release 2"]);
});

test("a call that an abandoned attempt resumes is refused, and not requested again", async () => {
  const clock = new FakeClock();
  const pendingCalls = memoryPendingCalls(clock);
  let late: Promise<ToolOutcome> | undefined;
  const abandoned = deferred<void>();
  const executor = executorFor(
    [
      tool("pay", undefined, { needsApproval: true }),
      tool(
        "outer",
        async (_, { scope, resumed, attempt }) => {
          if (resumed !== undefined) {
            const waiting = resumed.state as unknown as Interruption;
            if (attempt === 2) {
              const over = new Promise((resolve) => void clock.setTimeout(() => resolve(null), 52));
              abandoned.resolve();
              await over;
              late = scope.resume(waiting);
              return never();
            }
            return (await scope.resume(waiting)).status;
          }
          const { requests, ...rest } = getInterruption(await scope.execute(call("pay")));
          return suspend(requests, { requests, ...rest } as unknown as JsonValue);
        },
        { timeoutMs: 50 },
      ),
    ],
    { clock, pendingCalls, retry },
  );
  const events = recorded(executor);
  const interruption = getInterruption(await executor.execute(call("outer")));
  const outcome = executor.resume(interruption, [{ type: "approve" }]);
  await abandoned.promise;
  await clock.advance(1000);
  expect(completed(await outcome).result.content).toMatchObject([{ text: "completed" }]);
  expect(failed(await late).error.message).toBe("The attempt that made this call has ended.");
  const ofPay = events.filter((event) => "callId" in event && event.callId === "pay");
  expect(listTypes(ofPay).filter((type) => type === "tool.requested")).toHaveLength(1);
});

test("an error of a tool changes nothing once a middleware has answered in its place", async () => {
  const clock = new FakeClock();
  const ms = (time: number) =>
    new Promise((resolve) => void clock.setTimeout(() => resolve(0), time));
  let thrown = 0;
  const executor = executorFor(
    [
      tool("inner", () => ms(5)),
      tool("outer", async (_, { scope }) => {
        await scope.execute(call("inner"));
        thrown += 1;
        throw new ToolError("approval_rejected", "It is not wanted.");
      }),
    ],
    {
      clock,
      hooks: [
        async ({ spec }, next) => {
          if (spec.name === "inner") return next();
          void next();
          await ms(2);
          return "in its place";
        },
      ],
    },
  );
  const outcome = executor.execute(call("outer"));
  await clock.advance(100);
  expect(completed(await outcome).result.content).toMatchObject([{ text: "in its place" }]);
  expect(thrown).toBe(1);
});

test("a task whose run is cancelled while the store is updated ends once, whichever is first", async () => {
  for (let turns = 0; turns < 20; turns++) {
    const inner = memoryPendingCalls();
    const claiming = deferred<void>();
    const claimed = deferred<void>();
    let finished = 0;
    const pendingCalls: PendingCallStore = {
      add: (interruption) => inner.add(interruption),
      get: (id) => inner.get(id),
      list: () => inner.list(),
      claim: async (interruption) => {
        claiming.resolve();
        await claimed.promise;
        return inner.claim(interruption);
      },
      finish: (id) => {
        finished += 1;
        return inner.finish(id);
      },
    };
    const asks = tool(
      "t",
      (_, { resumed }) =>
        resumed === undefined ? suspend([{ id: "q", type: "input", message: "?" }], null) : "done",
      { execution: "task" },
    );
    const executor = executorFor(asks, { pendingCalls });
    const events = recorded(executor);
    const run = executor.startRun();
    const { result } = completed(await run.execute(call("t")));
    const waiting = getInterruption(await executor.tasks.result(result.taskId as string));
    const outcome = executor.resume(waiting, [{ type: "input", value: 1 }], { run });
    await claiming.promise;
    if (turns % 2 === 0) claimed.resolve();
    else run.cancel();
    for (let turn = 0; turn < turns >> 1; turn++) await Promise.resolve();
    run.cancel();
    claimed.resolve();
    await outcome;
    await settled();
    const ends = listTypes(events).filter((type) => /^task.(cancelled|completed)/.test(type));
    expect(ends, `${turns}`).toHaveLength(1);
    expect(finished, `${turns}`).toBe(1);
  }
});
