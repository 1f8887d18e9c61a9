import type { LedgerCall, LedgerEnd } from "@toolweave/core/stores";
import { describe, expect, test } from "vitest";
import { openSubject, type StoreFactory } from "./store-under-test.ts";

const day = 24 * 60 * 60 * 1000;

function call(more: Partial<LedgerCall> = {}): LedgerCall {
  const ids = { runId: "r", callId: "c", token: "1" };
  return { ...ids, tool: "pay", specHash: "s", argumentsHash: "a", ...more };
}

const ended = (outcome: string): LedgerEnd => ({ status: "ended", outcome });

/** Registers the tests of a call ledger. */
export function describeLedger(
  make: StoreFactory,
  { isShared }: { readonly isShared: boolean },
): void {
  describe("claims", () => {
    test("a call is begun by one token, which may begin it again", async () => {
      const { ledger } = (await openSubject(make, "ledger")).store;
      expect(await ledger.begin(call())).toEqual({ status: "begun" });
      expect(await ledger.begin(call())).toEqual({ status: "begun" });
      expect(await ledger.begin(call({ token: "2" }))).toEqual({ status: "running" });
      expect(await ledger.begin(call({ callId: "d", token: "2" }))).toEqual({ status: "begun" });
      expect(await ledger.begin(call({ runId: "s", token: "3" }))).toEqual({ status: "begun" });
    });

    test("of simultaneous claims one begins the call, whichever store it comes through", async () => {
      const { store, reopen } = await openSubject(make, "ledger");
      const stores = [store, isShared ? await reopen() : store];
      const entries = await Promise.all(
        Array.from({ length: 16 }, (_, n) =>
          stores[n % 2]!.ledger.begin(
            call({ token: `${n}`, ...(n % 3 === 0 ? { repeat: "rerun" } : {}) }),
          ),
        ),
      );
      const begun = entries.flatMap(({ status }, n) => (status === "begun" ? [n] : []));
      // A rerun takes the call over from the one before.
      expect(begun.length).toBeGreaterThan(0);
      const ends = await Promise.all(
        begun.map((n) => stores[n % 2]!.ledger.end(call({ token: `${n}` }), ended(`${n}`))),
      );
      expect(ends.filter(Boolean)).toHaveLength(1);
      expect(await store.ledger.begin(call({ token: "later" }))).toEqual({
        status: "ended",
        outcome: `${begun[ends.indexOf(true)]}`,
      });
    });

    test("another tool or other arguments under the same id are a conflict", async () => {
      const { ledger } = (await openSubject(make, "ledger")).store;
      await ledger.begin(call());
      const conflict = { status: "conflict" };
      expect(await ledger.begin(call({ token: "2", tool: "refund" }))).toEqual(conflict);
      const other = call({ token: "2", argumentsHash: "b", repeat: "rerun" });
      expect(await ledger.begin(other)).toEqual(conflict);
      await ledger.end(call(), ended("paid"));
      expect(await ledger.begin(other)).toEqual(conflict);
    });

    test("a lower epoch begins no call of the run", async () => {
      const { ledger } = (await openSubject(make, "ledger")).store;
      const begun = { status: "begun" };
      expect(await ledger.begin(call({ epoch: 2 }))).toEqual(begun);
      const old = call({ callId: "d", token: "2", epoch: 1 });
      expect(await ledger.begin(old)).toEqual({ status: "superseded" });
      expect(await ledger.begin({ ...old, repeat: "rerun" })).toEqual({ status: "superseded" });
      expect(await ledger.begin({ ...old, runId: "other" })).toEqual(begun);
      expect(await ledger.begin({ ...old, epoch: 2 })).toEqual(begun);
      expect(await ledger.begin(call({ callId: "e", token: "3", epoch: 3 }))).toEqual(begun);
      const late = call({ callId: "c", token: "4", epoch: 2, repeat: "rerun" });
      expect(await ledger.begin(late)).toEqual({ status: "superseded" });
      expect(await ledger.begin(call({ callId: "f", token: "5" }))).toEqual(begun);
    });
  });

  describe("ends", () => {
    test("an outcome is returned unchanged, and is final", async () => {
      const { store, reopen } = await openSubject(make, "ledger");
      const outcome = JSON.stringify({ text: 'paid \u0000 "x" \u{1f511} \u2028' });
      await store.ledger.begin(call());
      expect(await store.ledger.end(call(), ended(outcome))).toBe(true);
      expect(await store.ledger.end(call(), ended("other"))).toBe(false);
      expect(await store.ledger.end(call(), { status: "unknown" })).toBe(false);
      expect(await store.ledger.end(call(), { status: "released" })).toBe(false);
      const { ledger } = isShared ? await reopen() : store;
      for (const repeat of [undefined, "rerun", "resume"] as const) {
        const again = call({ token: "2", ...(repeat === undefined ? {} : { repeat }) });
        expect(await ledger.begin(again)).toEqual({ status: "ended", outcome });
      }
    });

    test("a call that was taken over cannot be ended by the first claimant", async () => {
      const { ledger } = (await openSubject(make, "ledger")).store;
      await ledger.begin(call());
      const second = call({ token: "2", repeat: "rerun" });
      expect(await ledger.begin(second)).toEqual({ status: "begun" });
      expect(await ledger.end(call(), ended("first"))).toBe(false);
      expect(await ledger.end(call(), { status: "released" })).toBe(false);
      expect(await ledger.end(second, ended("second"))).toBe(true);
      expect(await ledger.begin(call({ token: "3", repeat: "rerun" }))).toEqual({
        status: "ended",
        outcome: "second",
      });
    });

    test("a suspended call is taken over by its resumption only", async () => {
      const { ledger } = (await openSubject(make, "ledger")).store;
      await ledger.begin(call());
      expect(await ledger.end(call(), { status: "suspended", outcome: "asks" })).toBe(true);
      const asks = { status: "ended", outcome: "asks" };
      expect(await ledger.begin(call({ token: "2" }))).toEqual(asks);
      expect(await ledger.begin(call({ token: "2", repeat: "rerun" }))).toEqual(asks);
      const resumed = call({ token: "3", repeat: "resume", argumentsHash: "b" });
      expect(await ledger.begin(resumed)).toEqual({ status: "begun" });
      expect(await ledger.end(call(), ended("first"))).toBe(false);
      expect(await ledger.end(resumed, ended("answered"))).toBe(true);
    });

    test("an outcome that is known late replaces an unknown one", async () => {
      const { ledger } = (await openSubject(make, "ledger")).store;
      await ledger.begin(call());
      expect(await ledger.end(call(), { status: "unknown" })).toBe(true);
      expect(await ledger.begin(call({ token: "2" }))).toEqual({ status: "unknown" });
      expect(await ledger.end(call(), ended("late"))).toBe(true);
      const late = { status: "ended", outcome: "late" };
      expect(await ledger.begin(call({ token: "2" }))).toEqual(late);
    });

    test("a released call does not exist, so that another one begins it, with any arguments", async () => {
      const { ledger } = (await openSubject(make, "ledger")).store;
      await ledger.begin(call());
      expect(await ledger.end(call(), { status: "released" })).toBe(true);
      expect(await ledger.end(call(), ended("late"))).toBe(false);
      const other = call({ token: "2", argumentsHash: "b" });
      expect(await ledger.begin(other)).toEqual({ status: "begun" });
      expect(await ledger.end(call(), { status: "released" })).toBe(false);
      expect(await ledger.end(other, ended("second"))).toBe(true);
      expect(await ledger.end(call({ callId: "none" }), ended("none"))).toBe(false);
    });
  });

  test("a call is forgotten seven days after its last change", async () => {
    const { store, clock } = await openSubject(make, "ledger");
    const { ledger } = store;
    await ledger.begin(call());
    await clock.skip(6 * day);
    await ledger.end(call(), ended("paid"));
    await clock.skip(6 * day);
    const again = call({ token: "2" });
    expect(await ledger.begin(again)).toEqual({ status: "ended", outcome: "paid" });
    await clock.skip(day + 1);
    expect(await ledger.begin(again)).toEqual({ status: "begun" });
  });

  describe.runIf(isShared)("leases", () => {
    test("a call whose process has ended is unknown once the lease has expired, and runs again if it may", async () => {
      const { store: crashed, clock, reopen } = await openSubject(make, "ledger");
      await crashed.ledger.begin(call());
      await crashed.close?.();
      const { ledger } = await reopen();
      await clock.advance(29_999);
      expect(await ledger.begin(call({ token: "2" }))).toEqual({ status: "running" });
      await clock.advance(1);
      expect(await ledger.begin(call({ token: "2" }))).toEqual({ status: "unknown" });
      const rerun = call({ token: "3", repeat: "rerun" });
      expect(await ledger.begin(rerun)).toEqual({ status: "begun" });
      expect(await ledger.begin(call({ token: "2" }))).toEqual({ status: "running" });
    });

    test("a lease is renewed as long as the call runs, and by one timer", async () => {
      const { store: owner, clock, reopen } = await openSubject(make, "ledger", { leaseMs: 300 });
      const other = await reopen();
      await owner.ledger.begin(call());
      const second = call({ callId: "d", token: "2" });
      await owner.ledger.begin(second);
      expect(clock.timers).toBe(1);
      for (let turn = 0; turn < 20; turn++) {
        await clock.advance(97);
        const entry = await other.ledger.begin(call({ token: "3" }));
        expect(entry).toEqual({ status: "running" });
      }
      await owner.ledger.end(call(), ended("paid"));
      expect(clock.timers).toBe(1);
      await owner.ledger.end(second, { status: "unknown" });
      expect(clock.timers).toBe(0);
    });

    test("a process that was too busy to renew its lease still runs the call, and may end it", async () => {
      const { store: owner, clock, reopen } = await openSubject(make, "ledger", { leaseMs: 300 });
      const other = await reopen();
      await owner.ledger.begin(call());
      await clock.skip(10_000);
      expect(await owner.ledger.begin(call({ token: "2" }))).toEqual({ status: "running" });
      expect(await other.ledger.begin(call({ token: "2" }))).toEqual({ status: "unknown" });
      expect(await owner.ledger.end(call(), ended("paid"))).toBe(true);
      const paid = { status: "ended", outcome: "paid" };
      expect(await other.ledger.begin(call({ token: "2" }))).toEqual(paid);
    });
  });
}
