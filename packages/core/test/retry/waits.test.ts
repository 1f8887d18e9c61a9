import { FakeClock } from "@toolweave/test-support/fake-clock";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ToolError, type CallOptions, type RetryPolicy, type RunLimits } from "@toolweave/core";
import { call, executorFor, recorded, tool } from "../support/executor-for.ts";
import { readCode, failed } from "../support/outcomes.ts";

afterEach(() => void vi.restoreAllMocks());

interface Given {
  readonly retry?: Partial<RetryPolicy>;
  readonly random?: number;
  readonly error?: (attempt: number) => ToolError;
  readonly call?: CallOptions;
  readonly limits?: RunLimits;
}

const busy = (): ToolError => new ToolError("unavailable", "busy");
const asking = (retryAfterMs: number) => (): ToolError =>
  new ToolError("upstream", "429", { status: 429, retryable: true, retryAfterMs });

/** The waits between the attempts of a tool that always fails, and the end of the call. */
async function waits({ retry, random = 0, error = busy, call: options, limits }: Given) {
  vi.spyOn(Math, "random").mockReturnValue(random);
  const clock = new FakeClock();
  const start = clock.now();
  const startedAt: number[] = [];
  const executor = executorFor(
    tool(
      "t",
      (_, { attempt }) => {
        startedAt.push(clock.now());
        throw error(attempt);
      },
      { annotations: { idempotentHint: true } },
    ),
    { clock, retry: { attempts: 5, ...retry } },
  );
  const events = recorded(executor);
  let endedAfter = Infinity;
  const run = executor.startRun(limits === undefined ? {} : { limits });
  const outcome = run.execute(call("t"), options);
  void outcome.then(() => (endedAfter = clock.now() - start));
  await clock.advance(10 * 60_000);
  const waited = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0));
  const announced = events.flatMap((event) =>
    event.type === "tool.retried" ? [event.delayMs] : [],
  );
  expect(announced).toEqual(waited);
  return { waited, endedAfter, error: failed(await outcome).error };
}

describe("the wait before an attempt", () => {
  test("F0.22 is 200 ms at first, doubles, and does not grow beyond 30 s", async () => {
    expect((await waits({ retry: { attempts: 11 } })).waited).toEqual([
      200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000,
    ]);
  });

  test("is the policy's own", async () => {
    const retry = { initialDelayMs: 10, maxDelayMs: 25 };
    expect((await waits({ retry })).waited).toEqual([10, 20, 25, 25]);
    expect((await waits({ retry: { initialDelayMs: 100, maxDelayMs: 30 } })).waited).toEqual([
      30, 30, 30, 30,
    ]);
    expect((await waits({ retry: { initialDelayMs: 0 } })).waited).toEqual([0, 0, 0, 0]);
  });

  test("is up to half shorter, at random, so that many calls do not return at once", async () => {
    expect((await waits({ random: 0.5 })).waited).toEqual([150, 300, 600, 1200]);
    expect((await waits({ random: 0.999 })).waited).toEqual([100, 200, 400, 801]);
  });

  test("is as long as the server requests, and not shorter than the policy's", async () => {
    expect((await waits({ error: asking(1000) })).waited).toEqual([1000, 1000, 1000, 1600]);
    expect((await waits({ error: asking(120_000), retry: { attempts: 2 } })).waited).toEqual([
      120_000,
    ]);
  });

  test.each([0, -5, NaN])("ignores %d as a request of the server", async (retryAfterMs) => {
    expect((await waits({ error: asking(retryAfterMs), retry: { attempts: 2 } })).waited).toEqual([
      200,
    ]);
  });
});

describe("a server that requests too long a wait", () => {
  test.each<[string, Given, number]>([
    ["more than 120 s", { error: asking(120_001) }, 120_001],
    ["for ever", { error: asking(Infinity) }, Infinity],
    [
      "more than the call's deadline leaves",
      { error: asking(1000), call: { deadlineMs: 1000 } },
      1000,
    ],
    ["more than the run has left", { error: asking(1000), limits: { durationMs: 900 } }, 1000],
  ])(
    "(%s) is not awaited: the call fails at once, and the error has the wait",
    async (_, given, ms) => {
      const { waited, endedAfter, error } = await waits(given);
      expect([waited, endedAfter]).toEqual([[], 0]);
      expect(error).toMatchObject({ code: "rate_limited", retryable: true, retryAfterMs: ms });
      expect(error.cause).toMatchObject({ code: "upstream", status: 429 });
    },
  );

  test("is not awaited after a later attempt either", async () => {
    const { waited, error } = await waits({
      error: (attempt) => (attempt === 1 ? busy() : asking(500_000)()),
    });
    expect(waited).toEqual([200]);
    expect(error.message).toBe(
      "t asks to be left alone for 500 s, which is longer than the limit for waiting: continue without it, or call it later. It said: 429",
    );
  });

  test("after a last attempt is mentioned by its own error alone", async () => {
    const { error } = await waits({ error: asking(500_000), retry: { attempts: 1 } });
    expect([error.code, error.retryAfterMs]).toEqual(["upstream", 500_000]);
  });
});

describe("a deadline", () => {
  test("that would pass during the wait ends the call at once, with the error of the attempt", async () => {
    const { waited, endedAfter, error } = await waits({ call: { deadlineMs: 1000 } });
    expect([waited, endedAfter, error.code]).toEqual([[200, 400], 600, "unavailable"]);
  });

  test("TC24 applies to all attempts and the waits between them", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const clock = new FakeClock();
    const executor = executorFor(
      tool("t", () => new Promise(() => {}), {
        timeoutMs: 300,
        annotations: { readOnlyHint: true },
        retry: { attempts: 10 },
      }),
      { clock },
    );
    const start = clock.now();
    const outcome = executor.execute(call("t"), { deadlineMs: 700 });
    await clock.advance(10_000);
    expect(readCode(await outcome)).toBe("timeout");
    const { error, result } = failed(await outcome);
    expect(error.message).toBe(
      "t was not done by its deadline, 700 ms after it was called. It changes nothing and may be called again.",
    );
    expect(result.timestamp - start).toBe(700);
  });
});
