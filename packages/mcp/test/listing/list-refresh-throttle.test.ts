import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ListRefreshThrottle } from "../../src/server-session.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function listed(pace: ListRefreshThrottle, ms: number): Promise<void> {
  await pace.measure(async () => void vi.advanceTimersByTime(ms));
}

describe("MC13: a list that changes without end", () => {
  it("is listed at once as long as that is cheap", async () => {
    const pace = new ListRefreshThrottle();
    const read = vi.fn<() => void>();
    for (let count = 0; count < 3; count++) {
      await listed(pace, 200);
      pace.schedule(read);
    }
    expect(read).toHaveBeenCalledTimes(3);
  });

  it("uses a tenth of the time if it is expensive, and is listed once for all changes in between", async () => {
    const pace = new ListRefreshThrottle();
    const read = vi.fn<() => void>();
    await listed(pace, 2_000);
    for (let count = 0; count < 100; count++) pace.schedule(read);
    vi.advanceTimersByTime(19_000);
    expect(read).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it("is not listed any more once the source is closed", async () => {
    const pace = new ListRefreshThrottle();
    const read = vi.fn<() => void>();
    await listed(pace, 2_000);
    pace.schedule(read);
    pace.stop();
    vi.advanceTimersByTime(60_000);
    pace.schedule(read);
    expect(read).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
