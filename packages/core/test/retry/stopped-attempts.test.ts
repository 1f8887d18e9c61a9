import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ToolError, type Tool, type ToolContext } from "@toolweave/core";
import { call, executorFor, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed, failed, textFor } from "../support/outcomes.ts";
import { busy, flaky, idempotent, listRetries, retrying, withoutJitter } from "./flaky.ts";

beforeEach(withoutJitter);
afterEach(() => void vi.restoreAllMocks());

describe("an attempt that times out", () => {
  /** A tool whose first attempts never answer. */
  const hanging = (attempts: number, ctxs: ToolContext[]): Tool =>
    tool(
      "t",
      (_, ctx) => {
        ctxs.push(ctx);
        void ctx.signal;
        return ctx.attempt <= attempts ? new Promise(() => {}) : "done";
      },
      { ...idempotent, timeoutMs: 100 },
    );

  test("is tried again, has its own timeout each time, and only it is stopped", async () => {
    const ctxs: ToolContext[] = [];
    const { clock, executor, events } = retrying(hanging(2, ctxs), { attempts: 3 });
    const outcome = executor.execute(call("t"));
    await clock.advance(100 + 200 + 100 + 400);
    completed(await outcome);
    expect(listRetries(events)).toEqual([
      [1, "timeout", 200],
      [2, "timeout", 400],
    ]);
    expect(ctxs.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
    expect(events.at(-1)).toMatchObject({ attempt: 3, durationMs: 800 });
  });

  test("ends the call if it is the last", async () => {
    const ctxs: ToolContext[] = [];
    const { clock, executor } = retrying(hanging(9, ctxs), { attempts: 2 });
    const outcome = executor.execute(call("t"));
    await clock.advance(10_000);
    expect(readCode(await outcome)).toBe("timeout");
    expect(ctxs.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(clock.timers).toBe(0);
  });

  test("has no further effect: its late answer is one event, and never a second end", async () => {
    let answer: (value: string) => void = () => {};
    let first: ToolContext | undefined;
    const { clock, executor, events } = retrying(
      tool(
        "t",
        (_, ctx) => {
          if (ctx.attempt > 1)
            return new Promise((resolve) => void clock.setTimeout(() => resolve("second"), 50));
          first = ctx;
          return new Promise((resolve) => (answer = resolve));
        },
        { ...idempotent, timeoutMs: 100 },
      ),
      { attempts: 2 },
    );
    const outcome = executor.execute(call("t"));
    await clock.advance(320);
    answer("first, at last");
    first?.update({ content: [] });
    first?.progress({ done: 1 });
    expect(readCode(await first?.scope.execute(call("t", {}, "nested")))).toBe("cancelled");
    await clock.advance(100);
    expect(textFor(await outcome)).toBe("second");
    const own = events.filter((event) => "callId" in event && event.callId === "t");
    expect(listTypes(own).slice(2)).toEqual([
      "tool.started",
      "tool.retried",
      "tool.late",
      "tool.completed",
    ]);
  });

  test("ends its nested calls with it", async () => {
    let inner: AbortSignal | undefined;
    const clock = new FakeClock();
    const executor = executorFor(
      [
        tool("inner", (_, { signal }) => ((inner = signal), new Promise(() => {}))),
        tool(
          "outer",
          async (_, { attempt, scope }) => {
            if (attempt === 1) await scope.execute(call("inner"));
            return new Promise<string>((resolve) => (attempt === 1 ? undefined : resolve("done")));
          },
          { ...idempotent, timeoutMs: 100 },
        ),
      ],
      { clock, retry: { attempts: 2 } },
    );
    const outcome = executor.execute(call("outer"));
    await clock.advance(100);
    expect(inner?.aborted).toBe(true);
    await clock.advance(1000);
    completed(await outcome);
  });
});

describe("a nested call", () => {
  const outer = (timeoutMs: number, done: (code: string) => void): Tool =>
    tool(
      "outer",
      async (_, { scope }) => {
        done(readCode(await scope.execute(call("t"))));
        return "done";
      },
      { timeoutMs },
    );

  test("is not tried again if it was stopped with its parent", async () => {
    const clock = new FakeClock();
    let attempts = 0;
    const codes: string[] = [];
    const hanging = tool("t", () => ((attempts += 1), new Promise(() => {})), idempotent);
    const executor = executorFor([outer(100, (code) => codes.push(code)), hanging], {
      clock,
      retry: { attempts: 3 },
    });
    const outcome = executor.execute(call("outer"));
    await clock.advance(10_000);
    expect([readCode(await outcome), codes, attempts]).toEqual(["timeout", ["timeout"], 1]);
  });

  test("waits for its next attempt no longer than its parent may", async () => {
    const clock = new FakeClock();
    const codes: string[] = [];
    const longRetry = new ToolError("unavailable", "busy", { retryAfterMs: 60_000 });
    const executor = executorFor(
      [
        outer(0, (code) => codes.push(`${code} at ${clock.now() - start}`)),
        tool("t", () => Promise.reject(longRetry), idempotent),
      ],
      { clock, retry: { attempts: 3 } },
    );
    const start = clock.now();
    const outcome = executor.execute(call("outer"), { deadlineMs: 30_000 });
    await clock.advance(0);
    expect([(await outcome).status, codes]).toEqual(["completed", ["rate_limited at 0"]]);
  });
});

describe("cancelling", () => {
  test("ends the wait for the next attempt at once, and there is none", async () => {
    const { tool, attempts } = flaky(busy(), busy());
    const { clock, executor, events } = retrying(tool, { attempts: 3 });
    const run = executor.startRun();
    const outcome = run.execute(call("t"));
    await clock.advance(100);
    run.cancel("enough");
    expect(failed(await outcome).error.message).toBe("enough");
    await clock.advance(10_000);
    expect(attempts()).toBe(1);
    expect(listTypes(events).slice(-2)).toEqual(["tool.retried", "tool.failed"]);
    expect(events.at(-1)).toMatchObject({ code: "cancelled", attempt: 1 });
    expect(clock.timers).toBe(0);
  });

  test("during an attempt is not treated as a temporary failure", async () => {
    let attempts = 0;
    const { clock, executor } = retrying(
      tool(
        "t",
        (_, { signal }) => {
          attempts += 1;
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(busy())));
        },
        idempotent,
      ),
      { attempts: 3 },
    );
    const controller = new AbortController();
    const outcome = executor.execute(call("t"), { signal: controller.signal });
    await settled();
    controller.abort();
    expect(readCode(await outcome)).toBe("cancelled");
    await clock.advance(10_000);
    expect(attempts).toBe(1);
  });

  test("from within the listener for the retry takes effect", async () => {
    const { tool, attempts } = flaky(busy());
    const { clock, executor } = retrying(tool, { attempts: 2 });
    const run = executor.startRun();
    executor.on(({ type }) => {
      if (type === "tool.retried") run.cancel();
    });
    const outcome = run.execute(call("t"));
    await clock.advance(10_000);
    expect(readCode(await outcome)).toBe("cancelled");
    expect(attempts()).toBe(1);
  });
});
