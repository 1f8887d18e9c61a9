import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import type { ExecutorOptions, RateLimit } from "@toolweave/core";
import type { RateLimitStore, RateRequest } from "@toolweave/core/stores";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";
import { Controlled, notedStore, shop } from "./controlled.ts";

const tools = [tool("a"), tool("b"), tool("ask", () => "asked", { needsApproval: true })];

function limited(
  rates: readonly RateLimit[],
  more: Partial<ExecutorOptions> = {},
  inputs: Parameters<typeof executorFor>[0] = tools,
) {
  const clock = new FakeClock();
  return { clock, executor: executorFor(inputs, { clock, limits: { rates }, ...more }) };
}

describe("a rate limit (F0.24)", () => {
  test("allows exactly the limit of calls within a window, over all runs, and reports when the next may start", async () => {
    const { clock, executor } = limited([{ calls: 2, windowMs: 60_000 }]);
    const events = recorded(executor);
    completed(await executor.execute(call("a")));
    clock.skip(48_000);
    completed(await executor.execute(call("b")));
    const { error, result } = failed(await executor.execute(call("a")));
    expect(error.toJSON()).toEqual({
      code: "rate_limited",
      message:
        "The limit of 2 calls in 60 s for all tools together leaves no room for this call. Try again in 12 s, or continue without it.",
      retryable: true,
      audience: "model",
      retryAfterMs: 12_000,
    });
    expect(result.durationMs).toBe(0);
    expect(listTypes(events).slice(-2)).toEqual(["tool.requested", "tool.rejected"]);
    clock.skip(12_000);
    completed(await executor.execute(call("a")));
  });

  test("of 0 blocks every call, and does not ask the model to wait", async () => {
    const { executor } = limited([{ calls: 0, windowMs: 1000, tools: ["a"] }]);
    const { error } = failed(await executor.execute(call("a")));
    expect([error.code, error.retryable, error.retryAfterMs]).toEqual([
      "rate_limited",
      false,
      undefined,
    ]);
    expect(error.message).toMatch(/Waiting will not help/);
    completed(await executor.execute(call("b")));
  });

  test("may be set for each tool, for each source, or for some of them", async () => {
    const inputs = [...tools, new TestSource("far", [tool("c"), tool("d")], { trusted: true })];
    const each = limited([{ calls: 1, windowMs: 1000, per: "tool" }], {}, inputs).executor;
    for (const name of ["a", "b", "c"]) completed(await each.execute(call(name)));
    for (const name of ["a", "b", "c"]) {
      expect(readCode(await each.execute(call(name)))).toBe("rate_limited");
    }
    const bySource = limited([{ calls: 1, windowMs: 1000, per: "source" }], {}, inputs).executor;
    completed(await bySource.execute(call("a")));
    completed(await bySource.execute(call("c")));
    for (const name of ["b", "d"]) {
      expect(readCode(await bySource.execute(call(name)))).toBe("rate_limited");
    }
    const some = limited(
      [{ calls: 1, windowMs: 1000, sources: ["f*"], tools: ["c", "a"] }],
      {},
      inputs,
    );
    for (const name of ["a", "a", "d", "d", "c"]) {
      completed(await some.executor.execute(call(name)));
    }
    expect(readCode(await some.executor.execute(call("c")))).toBe("rate_limited");
  });

  test("may name one tool or source as a text", async () => {
    const inputs = [...tools, new TestSource("far", [tool("c")], { trusted: true })];
    const rates = [
      { calls: 0, windowMs: 1000, tools: "a*" },
      { calls: 0, windowMs: 1000, sources: "far" },
    ];
    const { executor } = limited(rates, {}, inputs);
    const outcomes = await Promise.all(["a", "b", "c"].map((name) => executor.execute(call(name))));
    expect(outcomes.map(({ status }) => status)).toEqual(["failed", "completed", "failed"]);
  });

  test("may be set for each caller; calls without one share a budget, and no id reaches the budget of another", async () => {
    const { executor } = limited([{ calls: 1, windowMs: 1000, per: "caller" }]);
    const ids = ["ada", "bob", "", "undefined", '"ada"', "ada ", "__proto__", "caller", "all"];
    const callers = [undefined, ...ids.map((id) => ({ id, roles: ["r"] }))];
    for (const caller of callers) {
      completed(await executor.execute(call("a"), caller === undefined ? {} : { caller }));
    }
    for (const caller of callers) {
      const options = caller === undefined ? {} : { caller: { ...caller, agent: "other" } };
      expect(readCode(await executor.execute(call("b"), options))).toBe("rate_limited");
    }
  });

  test("has readable keys, which differ for different limits", async () => {
    const { asked, store } = notedStore(new FakeClock());
    const { executor } = limited(
      [
        { calls: 9, windowMs: 1000 },
        { calls: 9, windowMs: 2000 },
        { calls: 9, windowMs: 1000, tools: ["a"] },
        { calls: 9, windowMs: 1000, per: "tool" },
        { calls: 9, windowMs: 1000, per: "source" },
        { calls: 9, windowMs: 1000, per: "caller" },
      ],
      { rateLimits: store },
    );
    completed(await executor.execute(call("a"), { caller: { id: 'x:tool:"a' } }));
    expect(asked).toEqual([
      "reserve calls/1000:all 1",
      "reserve calls/2000:all 1",
      'reserve calls/1000{"tools":["a"]}:all 1',
      "reserve calls/1000:tool:a 1",
      "reserve calls/1000:source:host 1",
      'reserve calls/1000:caller:"x:tool:\\"a" 1',
      "commit 1",
    ]);
  });

  test("counts the calls that a tool makes", async () => {
    const agent = tool("agent", async (_, { scope }) => (await scope.execute(call("a"))).status);
    const { executor } = limited([{ calls: 2, windowMs: 1000 }], {}, [...tools, agent]);
    completed(await executor.execute(call("a")));
    const { result } = completed(await executor.execute(call("agent")));
    expect(result.content).toEqual([{ type: "text", text: "failed" }]);
  });
});

describe("F3.13 a call's use of a rate", () => {
  test("is reserved first and committed when it starts, whether or not it succeeds", async () => {
    const { asked, store } = notedStore(new FakeClock());
    const failing = tool("fails", () => {
      throw new Error("no");
    });
    const { executor } = limited([{ calls: 2, windowMs: 1000 }], { rateLimits: store }, failing);
    const seen: string[] = [];
    executor.on(({ type }) => seen.push(`${type} after ${asked.length}`));
    failed(await executor.execute(call("fails")));
    expect(asked).toEqual(["reserve calls/1000:all 1", "commit 1"]);
    expect(seen).toEqual([
      "tool.requested after 0",
      "tool.authorized after 1",
      "tool.started after 2",
      "tool.failed after 2",
    ]);
  });

  test("is released by a call that is refused, interrupted, only admitted or stopped before its start", async () => {
    const { asked, store } = notedStore(new FakeClock());
    const { executor } = limited([{ calls: 1, windowMs: 1000 }], {
      rateLimits: store,
      hooks: [{ when: ({ spec }) => spec.name === "b", beforeCall: () => ({ block: "no" }) }],
    });
    failed(await executor.execute(call("b")));
    const waiting = getInterruption(await executor.execute(call("ask")));
    const run = executor.startRun();
    const admitted = call("a");
    expect(await run.checkAdmission(admitted)).toBeUndefined();
    expect(asked.filter((line) => line.startsWith("release"))).toHaveLength(3);
    completed(await executor.resume(waiting, [{ type: "approve" }]));
    expect(readCode(await run.execute(admitted))).toBe("rate_limited");
  });

  test("is held by a call that waits to start, however long", async () => {
    const controlled = new Controlled();
    const clock = new FakeClock();
    const executor = executorFor([controlled.tool("slow"), tool("a")], {
      clock,
      timeoutMs: 0,
      maxTimeoutMs: 0,
      limits: { rates: [{ calls: 2, windowMs: 1000 }], concurrency: { max: 1 } },
    });
    const first = executor.execute(call("slow"));
    const second = executor.execute(call("a"));
    await clock.advance(5000);
    controlled.end("slow");
    completed(await first);
    completed(await second);
    completed(await executor.execute(call("a")));
    expect(readCode(await executor.execute(call("a")))).toBe("rate_limited");
  });

  test("is enforced for simultaneous calls", async () => {
    const { executor } = limited([{ calls: 3, windowMs: 1000 }]);
    const outcomes = await Promise.all(
      Array.from({ length: 9 }, () => executor.execute(call("a"))),
    );
    expect(outcomes.filter(({ status }) => status === "completed")).toHaveLength(3);
  });
});

describe("a rate of spending", () => {
  const open = { policy: "autonomous" } as const;

  test("counts the amounts that calls declare", async () => {
    const { clock, executor } = limited([{ spend: 10, windowMs: 60_000 }], open, [
      shop(),
      ...tools,
    ]);
    completed(await executor.execute(call("buy", { amount: 6 })));
    const { error } = failed(await executor.execute(call("buy", { amount: 5 })));
    expect([error.code, error.retryAfterMs]).toEqual(["rate_limited", 60_000]);
    expect(error.message).toBe(
      "The limit of 10 spent in 60 s for all tools together leaves no room for this call. Try again in 60 s, or continue without it.",
    );
    completed(await executor.execute(call("buy", { amount: 4 })));
    completed(await executor.execute(call("a")));
    clock.skip(60_000);
    completed(await executor.execute(call("buy", { amount: 10 })));
    expect(failed(await executor.execute(call("buy", { amount: 11 }))).error.retryable).toBe(false);
  });

  test("refuses calls of its tools that do not declare an amount", async () => {
    const rates = [{ spend: 10, windowMs: 60_000, tools: ["buy"] }];
    const { executor } = limited(rates, open, shop());
    expect(readCode(await executor.execute(call("buy", { amount: "1" })))).toBe("limit_exceeded");
    const other = limited([{ ...rates[0], windowMs: 1, tools: ["sell"] }], open, shop()).executor;
    completed(await other.execute(call("buy", { amount: "1" })));
  });

  test("releases everything if one of several limits refuses", async () => {
    const { asked, store } = notedStore(new FakeClock());
    const { executor } = limited(
      [{ calls: 5, spend: 10, windowMs: 1000 }],
      { ...open, rateLimits: store },
      shop(),
    );
    failed(await executor.execute(call("buy", { amount: 11 })));
    expect(asked).toEqual(["reserve calls/1000:all 1", "reserve spend/1000:all 11", "release 1"]);
  });
});

describe("a store of rates", () => {
  const granted = { granted: true, id: "1" } as const;
  const fine: RateLimitStore = { reserve: () => granted, commit: () => {}, release: () => {} };
  const broken = (): never => {
    throw new Error("disk");
  };
  const rejected = (): Promise<never> => Promise.reject(new Error("disk"));

  test.each<[string, RateLimitStore]>([
    ["throws", { ...fine, reserve: broken }],
    ["rejects", { ...fine, reserve: rejected }],
    ["returns nothing", { ...fine, reserve: () => undefined as never }],
    ["returns no id", { ...fine, reserve: () => ({ granted: true }) as never }],
    ["throws on commit", { ...fine, commit: broken }],
    ["rejects on commit", { ...fine, commit: rejected }],
  ])("that %s prevents every call", async (_, rateLimits) => {
    let ran = false;
    const { executor } = limited(
      [{ calls: 1, windowMs: 1000 }],
      { rateLimits },
      tool("t", () => void (ran = true)),
    );
    const { error } = failed(await executor.execute(call("t")));
    expect([error.code, error.message, ran]).toEqual([
      "store_unavailable",
      "t has not run, because its rate limits could not be checked. Try again later, or continue without it.",
      false,
    ]);
  });

  test.each<[string, () => never | Promise<never>]>([
    ["throws", broken],
    ["rejects", rejected],
  ])("that %s on release changes nothing for the call", async (_, release) => {
    const { executor } = limited([{ calls: 1, windowMs: 1000 }], {
      rateLimits: { ...fine, release },
    });
    const outcome = await executor.execute(call("ask"));
    await settled();
    expect(outcome.status).toBe("interrupted");
  });

  test.each([NaN, -5, "soon"])(
    "that returns %s as the time of the next try is not trusted",
    async (ms) => {
      const { executor } = limited([{ calls: 1, windowMs: 1000 }], {
        rateLimits: {
          ...fine,
          reserve: ([request]) =>
            ({ granted: false, key: (request as RateRequest).key, retryAfterMs: ms }) as never,
        },
      });
      const { retryAfterMs } = failed(await executor.execute(call("a"))).error;
      expect(retryAfterMs).toBe(ms === -5 ? 0 : undefined);
    },
  );

  test("may be slow; a call that is stopped meanwhile releases a late reservation", async () => {
    const asked: string[] = [];
    let answer: (reservation: typeof granted) => void = () => {};
    const { executor } = limited([{ calls: 1, windowMs: 1000 }], {
      rateLimits: {
        reserve: () => new Promise((resolve) => (answer = resolve)),
        commit: async (id) => void asked.push(`commit ${id}`),
        release: async (id) => void asked.push(`release ${id}`),
      },
    });
    const run = executor.startRun();
    const stopped = run.execute(call("a"));
    await settled();
    run.cancel();
    expect(readCode(await stopped)).toBe("cancelled");
    expect(asked).toEqual([]);
    answer(granted);
    await settled();
    expect(asked).toEqual(["release 1"]);
    const other = executor.execute(call("a"));
    await settled();
    answer(granted);
    completed(await other);
    expect(asked).toEqual(["release 1", "commit 1"]);
  });

  test("is not used for calls without a limit", async () => {
    const { asked, store } = notedStore(new FakeClock());
    const { executor } = limited([{ calls: 1, windowMs: 1000, tools: ["b"] }], {
      rateLimits: store,
    });
    completed(await executor.execute(call("a")));
    expect(asked).toEqual([]);
  });
});
