import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { pause, untilAborted, withSignal, withTimeout } from "../../src/time/waiting.ts";

const never = new Promise<never>(() => {});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("withTimeout", () => {
  test("settles as the work does, and leaves no timer", async () => {
    expect(await withTimeout(Promise.resolve(1), 10)).toBe(1);
    await expect(withTimeout(Promise.reject(new Error("failed")), 10)).rejects.toThrow("failed");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("rejects if the work takes longer, with the error of the caller if it has one", async () => {
    const settled = Promise.allSettled([
      withTimeout(never, 10),
      withTimeout(never, 10, { late: () => new Error("late") }),
    ]);
    await vi.advanceTimersByTimeAsync(10);
    expect(await settled).toMatchObject([
      { reason: { message: "No answer within 10 ms." } },
      { reason: { message: "late" } },
    ]);
  });

  test("does not overflow a timer", async () => {
    let isSettled = false;
    void withTimeout(never, 1e12).catch(() => (isSettled = true));
    await vi.advanceTimersByTimeAsync(1000);
    expect(isSettled).toBe(false);
  });
});

describe("withSignal", () => {
  test("rejects with the reason, and passes on a result that arrives later", async () => {
    let resolve: (value: number) => void = () => {};
    const promise = new Promise<number>((settle) => (resolve = settle));
    const controller = new AbortController();
    const late: number[] = [];
    const work = withSignal(promise, controller.signal, (value) => late.push(value));
    controller.abort(new Error("stopped"));
    await expect(work).rejects.toThrow("stopped");
    resolve(3);
    await promise;
    await vi.advanceTimersByTimeAsync(0);
    expect(late).toEqual([3]);
  });

  test("rejects at once if the signal is already aborted", async () => {
    await expect(withSignal(never, AbortSignal.abort(new Error("before")))).rejects.toThrow(
      "before",
    );
  });
});

test("untilAborted ends with the work or the signal, whichever is first", async () => {
  await untilAborted(never, AbortSignal.abort());
  await untilAborted(Promise.resolve(), new AbortController().signal);
  await expect(untilAborted(Promise.reject(new Error("failed")), undefined)).rejects.toThrow(
    "failed",
  );
});

describe("pause", () => {
  test.each(["time", "abort", "wake"] as const)("ends by %s, and leaves no timer", async (by) => {
    const controller = new AbortController();
    let resume = (): void => {};
    const wake = new Promise<void>((resolve) => (resume = resolve));
    const paused = pause(50, { signal: controller.signal, wake });
    if (by === "time") await vi.advanceTimersByTimeAsync(50);
    else if (by === "abort") controller.abort();
    else resume();
    await paused;
    expect(vi.getTimerCount()).toBe(0);
  });
});
