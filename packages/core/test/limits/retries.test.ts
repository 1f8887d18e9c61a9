import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { ToolError, type RetryPolicy, type Tool, type ToolContext } from "@toolweave/core";
import type { RateLimitStore } from "@toolweave/core/stores";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { readCode, completed } from "../support/outcomes.ts";
import { Controlled, notedStore, shop } from "./controlled.ts";

const retry: RetryPolicy = { attempts: 3, initialDelayMs: 100, retryNonIdempotent: true };
const busy = (): never => {
  throw new ToolError("unavailable", "Busy.");
};

/** Succeeds at its third attempt. */
function flaky(seen: number[] = []): Tool {
  const work = (_: unknown, { attempt }: ToolContext): string => {
    seen.push(attempt);
    return attempt < 3 ? busy() : "done";
  };
  return tool("flaky", work, { retry });
}

describe("a repeated attempt", () => {
  test("counts against the rate, and not against the run's calls", async () => {
    const clock = new FakeClock();
    const executor = executorFor([flaky(), tool("a")], {
      clock,
      limits: { rates: [{ calls: 4, windowMs: 10_000 }] },
    });
    const run = executor.startRun({ limits: { calls: 2, callsPerTool: 1, identicalCalls: 1 } });
    const outcome = run.execute(call("flaky"));
    await clock.advance(1000);
    completed(await outcome);
    completed(await run.execute(call("a")));
    expect(readCode(await executor.execute(call("a")))).toBe("rate_limited");
  });

  test("is not made if the rate is exhausted, and nothing stays reserved", async () => {
    const clock = new FakeClock();
    const seen: number[] = [];
    const executor = executorFor(flaky(seen), {
      clock,
      limits: { rates: [{ calls: 2, windowMs: 1000 }] },
    });
    const outcome = executor.execute(call("flaky"));
    await clock.advance(500);
    expect(readCode(await outcome)).toBe("rate_limited");
    expect(seen).toEqual([1, 2]);
    await clock.advance(1000);
    const next = executor.execute(call("flaky"));
    await clock.advance(500);
    expect(readCode(await next)).toBe("rate_limited");
    expect(seen).toEqual([1, 2, 1, 2]);
  });

  test("releases a partial reservation, also if it is stopped meanwhile", async () => {
    const clock = new FakeClock();
    const limits = { rates: [{ calls: 9, spend: 7, windowMs: 10_000 }] };
    const { spec, ...rest } = shop({ invoke: busy });
    const buy = { ...rest, spec: { ...spec, retry } };
    const { asked, store } = notedStore(clock);
    const executor = executorFor(buy, { policy: "autonomous", clock, limits, rateLimits: store });
    const outcome = executor.execute(call("buy", { amount: 4 }));
    await clock.advance(1000);
    expect(readCode(await outcome)).toBe("rate_limited");
    const first = [
      "reserve calls/10000:all 1",
      "reserve spend/10000:all 4",
      "commit 1",
      "commit 2",
    ];
    expect(asked.splice(0)).toEqual([...first, ...first.slice(0, 2), "release 3"]);

    const slow = notedStore(clock);
    let answer: (() => void) | undefined;
    const rateLimits: RateLimitStore = {
      ...slow.store,
      // From the second attempt on, the spending store is slow.
      reserve: (requests) =>
        slow.asked.length < 4 || requests[0]?.key.startsWith("calls") === true
          ? slow.store.reserve(requests)
          : new Promise((resolve) => (answer = () => resolve(slow.store.reserve(requests)))),
    };
    const other = executorFor(buy, { policy: "autonomous", clock, limits, rateLimits });
    const run = other.startRun();
    const stopped = run.execute(call("buy", { amount: 3 }));
    await clock.advance(100);
    run.cancel();
    expect(readCode(await stopped)).toBe("cancelled");
    answer?.();
    await settled();
    expect(slow.asked.slice(4)).toEqual([
      ...["reserve calls/10000:all 1", "reserve spend/10000:all 3"],
      ...["release 4", "release 3"],
    ]);
  });

  test("spends again, unless the tool is trusted and declares that a retry has no further effect", async () => {
    const clock = new FakeClock();
    let attempts = 0;
    const buy = (idempotentHint: boolean): Tool => {
      const { spec, ...rest } = shop({ invoke: () => ((attempts += 1), busy()) });
      return { ...rest, spec: { ...spec, retry, annotations: { idempotentHint } } };
    };
    const countAttempts = async (idempotent: boolean, options: object): Promise<number> => {
      attempts = 0;
      const executor = executorFor(buy(idempotent), { policy: "autonomous", clock, ...options });
      const run = executor.startRun({ limits: "limits" in options ? {} : { spend: 10 } });
      const outcome = run.execute(call("buy", { amount: 4 }));
      await clock.advance(1000);
      await outcome;
      return attempts;
    };
    const rates = { limits: { rates: [{ spend: 10, windowMs: 10_000 }] } };
    for (const options of [{}, rates]) {
      expect(await countAttempts(false, options)).toBe(2);
      expect(await countAttempts(true, options)).toBe(3);
    }
  });
});

describe("the slot of a call that waits for its next attempt", () => {
  test("is free for others, and is reacquired before calls that have not started", async () => {
    const clock = new FakeClock();
    const controlled = new Controlled();
    const seen: number[] = [];
    const executor = executorFor([flaky(seen), controlled.tool("a")], {
      clock,
      limits: { concurrency: { max: 1 } },
    });
    const outcome = executor.execute(call("flaky"));
    const others = ["1", "2"].map((id) => executor.execute(call("a", {}, id)));
    await clock.advance(100);
    expect([seen, controlled.running]).toEqual([[1], ["1"]]);
    controlled.end("1");
    await settled();
    expect([seen, controlled.running]).toEqual([[1, 2], ["2"]]);
    await clock.advance(200);
    controlled.end("2");
    completed(await outcome);
    for (const other of others) completed(await other);
  });

  test("is not awaited by a stopped call", async () => {
    const clock = new FakeClock();
    const controlled = new Controlled();
    const seen: number[] = [];
    const executor = executorFor([flaky(seen), controlled.tool("a"), tool("b")], {
      clock,
      limits: { concurrency: { max: 1 } },
    });
    const run = executor.startRun();
    const outcome = run.execute(call("flaky"));
    const other = executor.execute(call("a"));
    await clock.advance(500);
    expect(controlled.running).toEqual(["a"]);
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    controlled.end("a");
    completed(await other);
    completed(await executor.execute(call("b")));
    expect(seen).toEqual([1]);
  });

  test("is not returned by work that the attempt has left running", async () => {
    const clock = new FakeClock();
    const controlled = new Controlled();
    const top = tool(
      "top",
      (_, { scope, attempt }) => {
        void scope.execute(call("a", {}, `left by ${attempt}`));
        return attempt < 3 ? busy() : "done";
      },
      { retry },
    );
    const executor = executorFor([top, controlled.tool("a"), controlled.tool("b")], {
      clock,
      limits: { concurrency: { max: 1 } },
    });
    const outcome = executor.execute(call("top"));
    await settled();
    const other = executor.execute(call("b"));
    await settled();
    expect(controlled.running).toEqual(["b"]);
    controlled.end("b");
    await clock.advance(1000);
    completed(await outcome);
    completed(await other);
  });
});
