import { describe, expect, test } from "vitest";
import { catchToolError } from "./catch-tool-error.ts";
import { testInterruption } from "./test-records.ts";
import { openSubject, type StoreFactory } from "./store-under-test.ts";

/** Registers the tests of a store of pending calls. */
export function describePendingCalls(
  make: StoreFactory,
  { isShared }: { readonly isShared: boolean },
): void {
  describe("adding", () => {
    test("an added call is returned unchanged, oldest first, after a reopening", async () => {
      const { store: first, reopen } = await openSubject(make, "pendingCalls");
      await first.pendingCalls.add(testInterruption("b"));
      await first.pendingCalls.add(testInterruption("a"));
      if (isShared) await first.close?.();
      const { pendingCalls } = isShared ? await reopen() : first;
      expect(await pendingCalls.list()).toEqual([
        { interruption: testInterruption("b"), status: "pending" },
        { interruption: testInterruption("a"), status: "pending" },
      ]);
      expect(await pendingCalls.get("a")).toEqual({
        interruption: testInterruption("a"),
        status: "pending",
      });
      expect(await pendingCalls.get("c")).toBeUndefined();
    });

    test("texts and keys that JSON can represent are returned unchanged", async () => {
      const { pendingCalls } = (await openSubject(make, "pendingCalls")).store;
      const strange = {
        ...testInterruption("'; DROP TABLE pending_calls; --"),
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
      const { pendingCalls } = (await openSubject(make, "pendingCalls")).store;
      await pendingCalls.add(testInterruption("a"));
      await pendingCalls.claim(testInterruption("a"));
      await pendingCalls.add(testInterruption("a"));
      expect((await pendingCalls.list()).map(({ status }) => status)).toEqual(["claimed"]);
    });

    test("an existing id is refused for another interruption", async () => {
      const { pendingCalls } = (await openSubject(make, "pendingCalls")).store;
      await pendingCalls.add(testInterruption("a"));
      const error = await catchToolError(() =>
        pendingCalls.add({ ...testInterruption("a"), state: "other" }),
      );
      expect(error.code).toBe("internal");
      expect(await pendingCalls.claim(testInterruption("a"))).toBe("claimed");
    });
  });

  describe("claiming", () => {
    test("the first claim succeeds, and later ones do not, before and after it is finished", async () => {
      const { pendingCalls } = (await openSubject(make, "pendingCalls")).store;
      await pendingCalls.add(testInterruption("a"));
      expect(await pendingCalls.claim(testInterruption("a"))).toBe("claimed");
      expect(await pendingCalls.claim(testInterruption("a"))).toBe("running");
      expect((await pendingCalls.get("a"))?.status).toBe("claimed");
      await pendingCalls.finish("a");
      expect(await pendingCalls.claim(testInterruption("a"))).toBe("finished");
      expect(await pendingCalls.list()).toEqual([]);
    });

    test.runIf(isShared)(
      "a call that was never added, and one whose state was swapped, are unknown",
      async () => {
        const { pendingCalls } = (await openSubject(make, "pendingCalls")).store;
        await pendingCalls.add(testInterruption("a"));
        await pendingCalls.add(testInterruption("b"));
        expect(await pendingCalls.claim(testInterruption("c"))).toBe("unknown");
        const swapped = { ...testInterruption("a"), state: testInterruption("b").state };
        expect(await pendingCalls.claim(swapped)).toBe("unknown");
        expect(await pendingCalls.claim(testInterruption("a"))).toBe("claimed");
      },
    );

    test.runIf(isShared)(
      "a swapped state reveals nothing of a call that is running or finished",
      async () => {
        const { pendingCalls } = (await openSubject(make, "pendingCalls")).store;
        await pendingCalls.add(testInterruption("a"));
        await pendingCalls.claim(testInterruption("a"));
        const swapped = { ...testInterruption("a"), state: "other" };
        expect(await pendingCalls.claim(swapped)).toBe("unknown");
        await pendingCalls.finish("a");
        expect(await pendingCalls.claim(swapped)).toBe("unknown");
      },
    );

    test("a call that was finished without an answer cannot be claimed", async () => {
      const { pendingCalls } = (await openSubject(make, "pendingCalls")).store;
      await pendingCalls.add(testInterruption("a"));
      await pendingCalls.finish("a");
      expect(await pendingCalls.claim(testInterruption("a"))).toBe("finished");
    });

    test("finishing an unknown call has no effect", async () => {
      const { pendingCalls } = (await openSubject(make, "pendingCalls")).store;
      await pendingCalls.finish("unknown");
      expect(await pendingCalls.list()).toEqual([]);
    });
  });

  describe("expiry", () => {
    test.runIf(isShared)(
      "from expiresAt on, by the store's clock, a call is expired and not listed",
      async () => {
        const { store, clock } = await openSubject(make, "pendingCalls");
        const { pendingCalls } = store;
        const late = testInterruption("a", clock.now() + 1_000);
        await pendingCalls.add(late);
        await clock.advance(999);
        expect(await pendingCalls.list()).toHaveLength(1);
        await clock.advance(1);
        expect(await pendingCalls.list()).toEqual([]);
        // The expiry in the interruption itself is not trusted.
        expect(await pendingCalls.claim({ ...late, expiresAt: clock.now() + 1_000 })).toBe(
          "expired",
        );
      },
    );

    test("a claim before expiry holds after it", async () => {
      const { store, clock } = await openSubject(make, "pendingCalls");
      const { pendingCalls } = store;
      await pendingCalls.add(testInterruption("a", clock.now() + 1_000));
      await pendingCalls.claim(testInterruption("a"));
      await clock.advance(100_000);
      await pendingCalls.add(testInterruption("b"));
      expect((await pendingCalls.get("a"))?.status).toBe("claimed");
    });

    test("finished calls stay finished until they expire, then they are removed and expired", async () => {
      const { store, clock } = await openSubject(make, "pendingCalls");
      const { pendingCalls } = store;
      const call = testInterruption("a", clock.now() + 1_000);
      await pendingCalls.add(call);
      await pendingCalls.claim(call);
      await pendingCalls.finish("a");
      await clock.advance(999);
      await pendingCalls.add(testInterruption("b"));
      expect(await pendingCalls.claim(call)).toBe("finished");
      await clock.advance(1);
      await pendingCalls.add(testInterruption("c"));
      expect(await pendingCalls.get("a")).toBeUndefined();
      expect(await pendingCalls.claim(call)).toBe("expired");
    });

    test.runIf(isShared)(
      "adding removes at most 100 expired calls at a time, and more than it adds",
      async () => {
        const { store, clock } = await openSubject(make, "pendingCalls");
        const { pendingCalls } = store;
        const calls = Array.from({ length: 150 }, (_, id) =>
          testInterruption(`${id}`, clock.now() + 1),
        );
        for (const call of calls) await pendingCalls.add(call);
        const kept = async (): Promise<number> => {
          const records = await Promise.all(calls.map(({ id }) => pendingCalls.get(id)));
          return records.filter((record) => record !== undefined).length;
        };
        await clock.advance(1);
        await pendingCalls.add(testInterruption("x"));
        expect(await kept()).toBe(50);
        await pendingCalls.add(testInterruption("y"));
        expect(await kept()).toBe(0);
      },
    );
  });

  describe("leases", () => {
    test.runIf(isShared)(
      "EX13: a claim whose owner has ended is running until its lease has expired, then unfinished permanently",
      async () => {
        const { store: gone, clock, reopen } = await openSubject(make, "pendingCalls");
        await gone.pendingCalls.add(testInterruption("a"));
        await gone.pendingCalls.claim(testInterruption("a"));
        await gone.close?.();
        const { pendingCalls } = await reopen();
        await clock.advance(29_999);
        expect(await pendingCalls.claim(testInterruption("a"))).toBe("running");
        expect(await pendingCalls.list()).toMatchObject([{ status: "claimed" }]);
        await clock.advance(1);
        expect(await pendingCalls.claim(testInterruption("a"))).toBe("unfinished");
        expect(await pendingCalls.claim(testInterruption("a"))).toBe("unfinished");
        expect(await pendingCalls.list()).toMatchObject([{ status: "unfinished" }]);
        // A person has examined it.
        await pendingCalls.finish("a");
        expect(await pendingCalls.list()).toEqual([]);
        expect(await pendingCalls.claim(testInterruption("a"))).toBe("finished");
      },
    );

    test.runIf(isShared)(
      "a lease is renewed as long as its owner lives, and by one timer",
      async () => {
        const {
          store: owner,
          clock,
          reopen,
        } = await openSubject(make, "pendingCalls", { leaseMs: 300 });
        const other = await reopen();
        expect(clock.timers).toBe(0);
        for (const id of ["a", "b"]) {
          await owner.pendingCalls.add(testInterruption(id));
          await owner.pendingCalls.claim(testInterruption(id));
        }
        expect(clock.timers).toBe(1);
        for (let turn = 0; turn < 100; turn++) {
          await clock.advance(97);
          expect(await other.pendingCalls.claim(testInterruption("a"))).toBe("running");
        }
        await owner.pendingCalls.finish("a");
        expect(clock.timers).toBe(1);
        await owner.pendingCalls.finish("b");
        expect(clock.timers).toBe(0);
      },
    );

    test.runIf(isShared)(
      "an owner that was too busy to renew its lease still owns the claim",
      async () => {
        const {
          store: owner,
          clock,
          reopen,
        } = await openSubject(make, "pendingCalls", { leaseMs: 300 });
        const other = await reopen();
        await owner.pendingCalls.add(testInterruption("a"));
        await owner.pendingCalls.claim(testInterruption("a"));
        await clock.skip(10_000);
        expect(await owner.pendingCalls.claim(testInterruption("a"))).toBe("running");
        expect(await other.pendingCalls.claim(testInterruption("a"))).toBe("unfinished");
        await clock.advance(1);
        expect(await other.pendingCalls.claim(testInterruption("a"))).toBe("running");
      },
    );

    test.runIf(isShared)("closing stops the timer and drops no claim", async () => {
      const { store, clock, reopen } = await openSubject(make, "pendingCalls");
      await store.pendingCalls.add(testInterruption("a"));
      await store.pendingCalls.add(testInterruption("b"));
      await store.pendingCalls.claim(testInterruption("a"));
      await store.close?.();
      await store.close?.();
      expect(clock.timers).toBe(0);
      const error = await catchToolError(() => store.pendingCalls.finish("a"));
      expect(error).toMatchObject({ code: "store_unavailable", retryable: false });
      const { pendingCalls } = await reopen();
      expect((await pendingCalls.list()).map(({ status }) => status)).toEqual([
        "claimed",
        "pending",
      ]);
    });
  });

  describe("results", () => {
    const result = (sealed: string) => ({ sealed, maxAgeMs: 600_000 });

    test.runIf(isShared)(
      "are available to every process that shares the file, after a reopening, until they expire",
      async () => {
        const { store: first, clock, reopen } = await openSubject(make, "pendingCalls");
        await first.pendingCalls.add(testInterruption("a"));
        await first.pendingCalls.claim(testInterruption("a"));
        expect(await first.pendingCalls.finishedResult?.("a")).toBeUndefined();
        await first.pendingCalls.finish("a", result("paid"));
        await first.close?.();
        const { pendingCalls } = await reopen();
        expect(await pendingCalls.claim(testInterruption("a"))).toBe("finished");
        await clock.skip(599_999);
        expect(await pendingCalls.finishedResult?.("a")).toBe("paid");
        await clock.skip(1);
        expect(await pendingCalls.finishedResult?.("a")).toBeUndefined();
        expect(await pendingCalls.claim(testInterruption("a"))).toBe("finished");
      },
    );

    test("do not exist for a call without one, and for an unknown call", async () => {
      const { pendingCalls } = (await openSubject(make, "pendingCalls")).store;
      await pendingCalls.add(testInterruption("a"));
      await pendingCalls.claim(testInterruption("a"));
      await pendingCalls.finish("a");
      await pendingCalls.finish("b", result("paid"));
      expect(await pendingCalls.finishedResult?.("a")).toBeUndefined();
      expect(await pendingCalls.finishedResult?.("b")).toBeUndefined();
    });

    test.runIf(isShared)(
      "are removed once they expire, and the oldest if there are 256",
      async () => {
        const { store, clock } = await openSubject(make, "pendingCalls");
        const { pendingCalls } = store;
        const end = async (id: string): Promise<void> => {
          await pendingCalls.add(testInterruption(id));
          await pendingCalls.claim(testInterruption(id));
          await pendingCalls.finish(id, result(`result of ${id}`));
          await clock.skip(1);
        };
        for (let n = 0; n < 257; n++) await end(`c${n}`);
        expect(await pendingCalls.finishedResult?.("c0")).toBeUndefined();
        expect(await pendingCalls.finishedResult?.("c1")).toBe("result of c1");
        await clock.skip(600_000);
        await pendingCalls.add(testInterruption("later"));
        expect(await pendingCalls.finishedResult?.("c256")).toBeUndefined();
      },
    );
  });

  describe("the quota of a caller", () => {
    const maxPerOwner = 5;
    /** Another session each time: all belong to the same caller. */
    const flooder = (session: number): string => `["session ${session}","flooder"]`;
    const others = ['["session 0","ada"]', '["session 0",null]', "[null,null]"];

    test("limits the number of its calls, and those of others are still accepted", async () => {
      const { store, clock } = await openSubject(make, "pendingCalls", { maxPerOwner });
      const { pendingCalls } = store;
      const soon = clock.now() + 1_000;
      for (let n = 0; n < maxPerOwner; n++) {
        await pendingCalls.add(testInterruption(`${n}`, soon), flooder(n));
      }
      const refused = await catchToolError(() =>
        pendingCalls.add(testInterruption("more"), flooder(99)),
      );
      expect(refused.code).toBe("limit_exceeded");
      expect(refused.message).toMatch(/5 calls of this caller.*answered first.*PerOwner/);
      for (const owner of others) await pendingCalls.add(testInterruption(owner), owner);
      expect(await pendingCalls.list()).toHaveLength(maxPerOwner + others.length);
    });

    test("has room again once one is answered, or has expired", async () => {
      const { store, clock } = await openSubject(make, "pendingCalls", { maxPerOwner });
      const { pendingCalls } = store;
      const soon = clock.now() + 1_000;
      for (let n = 0; n < maxPerOwner; n++) {
        await pendingCalls.add(testInterruption(`${n}`, soon), flooder(n));
      }
      expect(await pendingCalls.claim(testInterruption("0", soon))).toBe("claimed");
      await pendingCalls.finish("0");
      await pendingCalls.add(testInterruption("after", soon), flooder(0));
      await catchToolError(() => pendingCalls.add(testInterruption("more"), flooder(0)));
      await clock.skip(1_000);
      await pendingCalls.add(testInterruption("more"), flooder(0));
    });

    test("holds for calls that several processes add at the same time", async () => {
      const { store, reopen } = await openSubject(make, "pendingCalls", { maxPerOwner });
      const stores = [store, isShared ? await reopen() : store];
      const added = await Promise.allSettled(
        Array.from({ length: 20 }, async (_, n) =>
          stores[n % 2]!.pendingCalls.add(testInterruption(`${n}`), flooder(n)),
        ),
      );
      expect(added.filter(({ status }) => status === "fulfilled")).toHaveLength(maxPerOwner);
      expect(await store.pendingCalls.list()).toHaveLength(maxPerOwner);
    });
  });

  test.runIf(isShared)("a finished call is known until it expires", async () => {
    const { pendingCalls } = (await openSubject(make, "pendingCalls")).store;
    await pendingCalls.add(testInterruption("a"));
    await pendingCalls.claim(testInterruption("a"));
    await pendingCalls.finish("a");
    expect((await pendingCalls.get("a"))?.status).toBe("finished");
  });

  test("of many claims of several processes one succeeds", async () => {
    const { store, reopen } = await openSubject(make, "pendingCalls");
    const stores = [store, isShared ? await reopen() : store];
    await store.pendingCalls.add(testInterruption("a"));
    const results = await Promise.all(
      Array.from({ length: 20 }, async (_, n) =>
        stores[n % 2]!.pendingCalls.claim(testInterruption("a")),
      ),
    );
    expect(results.toSorted()).toEqual(["claimed", ...Array.from({ length: 19 }, () => "running")]);
  });
}
