import { ToolError } from "@toolweave/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { call, executorFor, recorded, tool } from "../support/executor-for.ts";
import { readCode, completed } from "../support/outcomes.ts";

const hour = 3_600_000;

// The executor has no clock of its own here: the platform's clock is set.
beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }));
afterEach(() => void vi.useRealTimers());

describe("HT44 when the clock is set", () => {
  test.each([
    ["back", -hour],
    ["ahead", hour],
  ])("by an hour (%s), a call ends at its timeout, and not before", async (_, jump) => {
    const executor = executorFor(tool("slow", () => new Promise(() => {}), { timeoutMs: 1000 }));
    let ended = false;
    const outcome = executor.execute(call("slow")).finally(() => (ended = true));
    await vi.advanceTimersByTimeAsync(500);
    vi.setSystemTime(Date.now() + jump);
    await vi.advanceTimersByTimeAsync(450);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(ended).toBe(true);
    expect(readCode(await outcome)).toBe("timeout");
  });

  test.each([
    ["back", -hour],
    ["ahead", hour],
  ])("by an hour (%s), a run has the same remaining time as before", async (_, jump) => {
    const executor = executorFor(tool("quick", () => "done"));
    const run = executor.startRun({ limits: { durationMs: 1000 } });
    vi.setSystemTime(Date.now() + jump);
    await vi.advanceTimersByTimeAsync(900);
    completed(await run.execute(call("quick")));
    await vi.advanceTimersByTimeAsync(200);
    expect(readCode(await run.execute(call("quick")))).toBe("limit_exceeded");
  });

  test("the delay between attempts keeps its length", async () => {
    let times = 0;
    const flaky = tool("flaky", () => {
      times += 1;
      if (times === 1) throw new ToolError("unavailable", "Not now.", { retryAfterMs: 1000 });
      return "done";
    });
    const executor = executorFor(flaky, {
      retry: { attempts: 2, initialDelayMs: 1, retryNonIdempotent: true },
    });
    const outcome = executor.execute(call("flaky"));
    await vi.advanceTimersByTimeAsync(500);
    vi.setSystemTime(Date.now() - hour);
    await vi.advanceTimersByTimeAsync(400);
    expect(times).toBe(1);
    await vi.advanceTimersByTimeAsync(200);
    completed(await outcome);
    expect(times).toBe(2);
  });

  test("the duration of a call is correct, and its timestamp is the new time of day", async () => {
    const slow = tool("slow", () => new Promise((done) => setTimeout(() => done("done"), 200)));
    const executor = executorFor(slow);
    const events = recorded(executor);
    const outcome = executor.execute(call("slow"));
    await vi.advanceTimersByTimeAsync(100);
    vi.setSystemTime(Date.now() + hour);
    await vi.advanceTimersByTimeAsync(100);
    const { result } = completed(await outcome);
    expect(result.durationMs).toBe(200);
    expect(result.timestamp).toBe(1_800_000_000_200 + hour);
    expect(events.at(-1)?.time).toBe(result.timestamp);
  });
});
