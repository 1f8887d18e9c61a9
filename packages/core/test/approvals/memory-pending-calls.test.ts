import { describe, expect, test } from "vitest";
import type { Interruption } from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { FakeClock } from "@toolweave/test-support/fake-clock";

const interruption = (id: string, expiresAt = 2_000_000): Interruption =>
  ({ id, expiresAt, state: `state of ${id}` }) as Interruption;

describe("pending calls in memory", () => {
  test("can be claimed once", () => {
    const store = memoryPendingCalls(new FakeClock());
    store.add(interruption("a"));
    expect(store.claim(interruption("a"))).toBe("claimed");
    expect(store.claim(interruption("a"))).toBe("running");
    store.finish("a");
    expect(store.claim(interruption("a"))).toBe("finished");
  });

  test("are listed with their state until they have ended", async () => {
    const store = memoryPendingCalls(new FakeClock());
    store.add(interruption("a"));
    store.add(interruption("b"));
    store.claim(interruption("a"));
    expect(await store.get("a")).toMatchObject({ status: "claimed" });
    expect(await store.list()).toMatchObject([{ status: "claimed" }, { status: "pending" }]);
    store.finish("a");
    expect(await store.list()).toMatchObject([{ interruption: { id: "b" } }]);
    expect(await store.get("a")).toBeUndefined();
  });

  test("may belong to another process, each once", () => {
    const store = memoryPendingCalls(new FakeClock());
    expect(store.claim(interruption("foreign"))).toBe("claimed");
    expect(store.claim(interruption("foreign"))).toBe("running");
    store.finish("foreign");
    expect(store.claim(interruption("foreign"))).toBe("finished");
  });

  test("expire, and can neither be claimed nor found after that", async () => {
    const clock = new FakeClock();
    const store = memoryPendingCalls(clock);
    store.add(interruption("a", clock.now() + 10));
    clock.skip(10);
    expect(store.claim(interruption("a", clock.now()))).toBe("expired");
    expect(await store.list()).toEqual([]);
    expect(store.claim(interruption("foreign", clock.now()))).toBe("expired");
  });

  test("stay finished until they expire, and a running one is not evicted", () => {
    const clock = new FakeClock();
    const store = memoryPendingCalls(clock);
    const [done, running] = ["done", "running"].map((id) => interruption(id, clock.now() + 10));
    for (const one of [done, running] as Interruption[]) {
      store.add(one);
      expect(store.claim(one)).toBe("claimed");
    }
    store.finish("done");
    clock.skip(9);
    expect(store.claim(done as Interruption)).toBe("finished");
    clock.skip(1000);
    expect(store.claim(running as Interruption)).toBe("running");
    expect(store.claim(done as Interruption)).toBe("expired");
  });

  test("AP04 that are finished are not claimed again when the clock is set back", () => {
    const clock = new FakeClock();
    const store = memoryPendingCalls(clock);
    const done = interruption("done", clock.now() + 10);
    store.add(done);
    store.claim(done);
    store.finish("done");
    clock.skip(1000);
    expect(store.list()).toEqual([]);
    clock.skip(-1000);
    expect(store.claim(done)).toBe("unknown");
    expect(store.claim(interruption("new", clock.now() + 20))).toBe("claimed");
  });

  test("of one caller take no room from others, over any number of sessions", () => {
    const store = memoryPendingCalls(new FakeClock(), { maxPerOwner: 3 });
    for (let index = 0; index < 3; index++) {
      store.add(interruption(`${index}`), `["session ${index}","flooder"]`);
    }
    expect(() => store.add(interruption("more"), '["another","flooder"]')).toThrow(
      expect.objectContaining({
        code: "limit_exceeded",
        message: expect.stringContaining("have them answered first") as string,
      }),
    );
    store.add(interruption("ada"), '["session 0","ada"]');
    store.add(interruption("no-caller"), "[null,null]");
    expect(store.claim(interruption("1"))).toBe("claimed");
    store.add(interruption("more"), '["another","flooder"]');
  });

  test("stay in order when one of them is claimed", () => {
    const store = memoryPendingCalls(new FakeClock());
    for (const id of ["a", "b"]) store.add(interruption(id));
    store.claim(interruption("a"));
    expect(store.list()).toEqual([
      { interruption: interruption("a"), status: "claimed" },
      { interruption: interruption("b"), status: "pending" },
    ]);
  });

  test("do not fill the memory: an answered one makes room", () => {
    const store = memoryPendingCalls(new FakeClock(), { maxPerOwner: 10_000 });
    for (let index = 0; index < 10_000; index++) store.add(interruption(`${index}`));
    expect(() => store.add(interruption("more"))).toThrow(
      expect.objectContaining({ code: "limit_exceeded" }),
    );
    expect(store.claim(interruption("7"))).toBe("claimed");
    store.finish("7");
    store.add(interruption("more"));
  });

  test("AP04 that are finished are never claimed again, however many calls follow", () => {
    const store = memoryPendingCalls(new FakeClock());
    for (let index = 0; index <= 100_000; index++) {
      const one = interruption(`${index}`, 2_000_000 + index);
      store.claim(one);
      store.finish(one.id);
    }
    expect(store.claim(interruption("0", 2_000_000))).toBe("unknown");
    expect(store.claim(interruption("1", 2_000_001))).toBe("finished");
    expect(store.claim(interruption("new", 2_200_000))).toBe("claimed");
  });
});
