import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { join } from "node:path";
import { failure } from "./support/failure.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { interruption } from "./support/interruptions.ts";
import { openStore } from "./support/open-store.ts";
import { tempFolder } from "./support/temp-folder.ts";

describe("adding", () => {
  test("an added call is returned unchanged, oldest first, after a reopening", async () => {
    const path = join(tempFolder(), "store.db");
    const first = openStore(path);
    await first.pendingCalls.add(interruption("b"));
    await first.pendingCalls.add(interruption("a"));
    first.close();
    const { pendingCalls } = openStore(path);
    expect(await pendingCalls.list()).toEqual([
      { interruption: interruption("b"), status: "pending" },
      { interruption: interruption("a"), status: "pending" },
    ]);
    expect(await pendingCalls.get("a")).toEqual({
      interruption: interruption("a"),
      status: "pending",
    });
    expect(await pendingCalls.get("c")).toBeUndefined();
  });

  test("texts and keys that JSON can represent are returned unchanged", async () => {
    const { pendingCalls } = openStore(":memory:");
    const strange = {
      ...interruption("'; DROP TABLE pending_calls; --"),
      call: {
        id: "\u0000\ud800",
        name: "t",
        arguments: JSON.parse('{"__proto__": {"polluted": true}, "\\u2028": ["\\ud83d\\ude00"]}'),
      },
    };
    await pendingCalls.add(strange);
    const record = await pendingCalls.get(strange.id);
    expect(JSON.stringify(record?.interruption)).toBe(JSON.stringify(strange));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("adding the same interruption again changes nothing", async () => {
    const { pendingCalls } = openStore(":memory:");
    await pendingCalls.add(interruption("a"));
    await pendingCalls.claim(interruption("a"));
    await pendingCalls.add(interruption("a"));
    expect((await pendingCalls.list()).map(({ status }) => status)).toEqual(["claimed"]);
  });

  test("an existing id is refused for another interruption", async () => {
    const { pendingCalls } = openStore(":memory:");
    await pendingCalls.add(interruption("a"));
    const error = await failure(() => pendingCalls.add({ ...interruption("a"), state: "other" }));
    expect(error.code).toBe("internal");
    expect(await pendingCalls.claim(interruption("a"))).toBe("claimed");
  });
});

describe("claiming", () => {
  test("the first claim succeeds, and later ones do not, before and after it is finished", async () => {
    const { pendingCalls } = openStore(":memory:");
    await pendingCalls.add(interruption("a"));
    expect(await pendingCalls.claim(interruption("a"))).toBe("claimed");
    expect(await pendingCalls.claim(interruption("a"))).toBe("running");
    expect((await pendingCalls.get("a"))?.status).toBe("claimed");
    await pendingCalls.finish("a");
    expect(await pendingCalls.claim(interruption("a"))).toBe("finished");
    expect(await pendingCalls.list()).toEqual([]);
    expect((await pendingCalls.get("a"))?.status).toBe("finished");
  });

  test("a call that was never added, and one whose state was swapped, are unknown", async () => {
    const { pendingCalls } = openStore(":memory:");
    await pendingCalls.add(interruption("a"));
    await pendingCalls.add(interruption("b"));
    expect(await pendingCalls.claim(interruption("c"))).toBe("unknown");
    const swapped = { ...interruption("a"), state: interruption("b").state };
    expect(await pendingCalls.claim(swapped)).toBe("unknown");
    expect(await pendingCalls.claim(interruption("a"))).toBe("claimed");
  });

  test("a swapped state reveals nothing of a call that is running or finished", async () => {
    const { pendingCalls } = openStore(":memory:");
    await pendingCalls.add(interruption("a"));
    await pendingCalls.claim(interruption("a"));
    const swapped = { ...interruption("a"), state: "other" };
    expect(await pendingCalls.claim(swapped)).toBe("unknown");
    await pendingCalls.finish("a");
    expect(await pendingCalls.claim(swapped)).toBe("unknown");
  });

  test("a call that was finished without an answer cannot be claimed", async () => {
    const { pendingCalls } = openStore(":memory:");
    await pendingCalls.add(interruption("a"));
    await pendingCalls.finish("a");
    expect(await pendingCalls.claim(interruption("a"))).toBe("finished");
  });

  test("finishing an unknown call has no effect", async () => {
    const { pendingCalls } = openStore(":memory:");
    await pendingCalls.finish("unknown");
    expect(await pendingCalls.list()).toEqual([]);
  });
});

describe("expiry", () => {
  test("from expiresAt on, by the store's clock, a call is expired and not listed", async () => {
    const clock = new FakeClock();
    const { pendingCalls } = openStore({ path: ":memory:", clock });
    const late = interruption("a", clock.now() + 1_000);
    await pendingCalls.add(late);
    clock.advance(999);
    expect(await pendingCalls.list()).toHaveLength(1);
    clock.advance(1);
    expect(await pendingCalls.list()).toEqual([]);
    // The expiry in the interruption itself is not trusted.
    expect(await pendingCalls.claim({ ...late, expiresAt: clock.now() + 1_000 })).toBe("expired");
  });

  test("a claim before expiry holds after it", async () => {
    const clock = new FakeClock();
    const { pendingCalls } = openStore({ path: ":memory:", clock });
    await pendingCalls.add(interruption("a", clock.now() + 1_000));
    await pendingCalls.claim(interruption("a"));
    clock.advance(100_000);
    await pendingCalls.add(interruption("b"));
    expect((await pendingCalls.get("a"))?.status).toBe("claimed");
  });

  test("finished calls stay finished until they expire, then they are removed and expired", async () => {
    const clock = new FakeClock();
    const { pendingCalls } = openStore({ path: ":memory:", clock });
    const call = interruption("a", clock.now() + 1_000);
    await pendingCalls.add(call);
    await pendingCalls.claim(call);
    await pendingCalls.finish("a");
    clock.advance(999);
    await pendingCalls.add(interruption("b"));
    expect(await pendingCalls.claim(call)).toBe("finished");
    clock.advance(1);
    await pendingCalls.add(interruption("c"));
    expect(await pendingCalls.get("a")).toBeUndefined();
    expect(await pendingCalls.claim(call)).toBe("expired");
  });

  test("adding removes at most 100 expired calls at a time, and more than it adds", async () => {
    const clock = new FakeClock();
    const { pendingCalls } = openStore({ path: ":memory:", clock });
    const calls = Array.from({ length: 150 }, (_, id) => interruption(`${id}`, clock.now() + 1));
    for (const call of calls) await pendingCalls.add(call);
    const kept = async (): Promise<number> => {
      const records = await Promise.all(calls.map(({ id }) => pendingCalls.get(id)));
      return records.filter((record) => record !== undefined).length;
    };
    clock.advance(1);
    await pendingCalls.add(interruption("x"));
    expect(await kept()).toBe(50);
    await pendingCalls.add(interruption("y"));
    expect(await kept()).toBe(0);
  });
});

describe("leases", () => {
  test("EX13: a claim whose owner has ended is running until its lease has expired, then unfinished permanently", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const gone = openStore({ path, clock });
    await gone.pendingCalls.add(interruption("a"));
    await gone.pendingCalls.claim(interruption("a"));
    gone.close();
    const { pendingCalls } = openStore({ path, clock });
    clock.advance(29_999);
    expect(await pendingCalls.claim(interruption("a"))).toBe("running");
    expect(await pendingCalls.list()).toMatchObject([{ status: "claimed" }]);
    clock.advance(1);
    expect(await pendingCalls.claim(interruption("a"))).toBe("unfinished");
    expect(await pendingCalls.claim(interruption("a"))).toBe("unfinished");
    expect(await pendingCalls.list()).toMatchObject([{ status: "unfinished" }]);
    // A person has examined it.
    await pendingCalls.finish("a");
    expect(await pendingCalls.list()).toEqual([]);
    expect(await pendingCalls.claim(interruption("a"))).toBe("finished");
  });

  test("a lease is renewed as long as its owner lives, and by one timer", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const owner = openStore({ path, clock, leaseMs: 300 });
    const other = openStore({ path, clock });
    expect(clock.timers).toBe(0);
    for (const id of ["a", "b"]) {
      await owner.pendingCalls.add(interruption(id));
      await owner.pendingCalls.claim(interruption(id));
    }
    expect(clock.timers).toBe(1);
    for (let turn = 0; turn < 100; turn++) {
      clock.advance(97);
      expect(await other.pendingCalls.claim(interruption("a"))).toBe("running");
    }
    await owner.pendingCalls.finish("a");
    expect(clock.timers).toBe(1);
    await owner.pendingCalls.finish("b");
    expect(clock.timers).toBe(0);
  });

  test("an owner that was too busy to renew its lease still owns the claim", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const owner = openStore({ path, clock, leaseMs: 300 });
    const other = openStore({ path, clock });
    await owner.pendingCalls.add(interruption("a"));
    await owner.pendingCalls.claim(interruption("a"));
    clock.skip(10_000);
    expect(await owner.pendingCalls.claim(interruption("a"))).toBe("running");
    expect(await other.pendingCalls.claim(interruption("a"))).toBe("unfinished");
    clock.advance(1);
    expect(await other.pendingCalls.claim(interruption("a"))).toBe("running");
  });

  test("closing stops the timer and drops no claim", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const store = openStore({ path, clock });
    await store.pendingCalls.add(interruption("a"));
    await store.pendingCalls.add(interruption("b"));
    await store.pendingCalls.claim(interruption("a"));
    store.close();
    store.close();
    expect(clock.timers).toBe(0);
    const error = await failure(() => store.pendingCalls.finish("a"));
    expect(error).toMatchObject({ code: "store_unavailable", retryable: false });
    expect(error.message).toBe(`${path} is closed.`);
    const { pendingCalls } = openStore({ path, clock });
    expect((await pendingCalls.list()).map(({ status }) => status)).toEqual(["claimed", "pending"]);
  });
});

describe("results", () => {
  const result = (sealed: string) => ({ sealed, maxAgeMs: 600_000 });

  test("are available to every process that shares the file, after a reopening, until they expire", async () => {
    const clock = new FakeClock();
    const path = join(tempFolder(), "store.db");
    const first = openStore({ path, clock });
    await first.pendingCalls.add(interruption("a"));
    await first.pendingCalls.claim(interruption("a"));
    expect(await first.pendingCalls.finishedResult?.("a")).toBeUndefined();
    await first.pendingCalls.finish("a", result("paid"));
    first.close();
    const { pendingCalls } = openStore({ path, clock });
    expect(await pendingCalls.claim(interruption("a"))).toBe("finished");
    clock.skip(599_999);
    expect(await pendingCalls.finishedResult?.("a")).toBe("paid");
    clock.skip(1);
    expect(await pendingCalls.finishedResult?.("a")).toBeUndefined();
    expect(await pendingCalls.claim(interruption("a"))).toBe("finished");
  });

  test("do not exist for a call without one, and for an unknown call", async () => {
    const { pendingCalls } = openStore(":memory:");
    await pendingCalls.add(interruption("a"));
    await pendingCalls.claim(interruption("a"));
    await pendingCalls.finish("a");
    await pendingCalls.finish("b", result("paid"));
    expect(await pendingCalls.finishedResult?.("a")).toBeUndefined();
    expect(await pendingCalls.finishedResult?.("b")).toBeUndefined();
  });

  test("are removed once they expire, and the oldest if there are 256", async () => {
    const clock = new FakeClock();
    const path = join(tempFolder(), "store.db");
    const { pendingCalls } = openStore({ path, clock });
    const end = async (id: string): Promise<void> => {
      await pendingCalls.add(interruption(id));
      await pendingCalls.claim(interruption(id));
      await pendingCalls.finish(id, result(`result of ${id}`));
      clock.skip(1);
    };
    for (let n = 0; n < 257; n++) await end(`c${n}`);
    expect(await pendingCalls.finishedResult?.("c0")).toBeUndefined();
    expect(await pendingCalls.finishedResult?.("c1")).toBe("result of c1");
    clock.skip(600_000);
    await pendingCalls.add(interruption("later"));
    const db = new DatabaseSync(path);
    expect(db.prepare("SELECT count(result) AS results FROM pending_calls").get()).toEqual({
      results: 0,
    });
    db.close();
  });
});
