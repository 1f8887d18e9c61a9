import type { ScheduledJob } from "@toolweave/core/stores";
import { expect, test } from "vitest";
import { catchToolError } from "./catch-tool-error.ts";
import { openSubject, type StoreFactory } from "./store-under-test.ts";

function job(id: string, owner = "[null,null]"): ScheduledJob {
  return {
    id,
    owner,
    schedule: { everyMs: 1_000, from: 0 },
    tool: "send_report",
    arguments: { text: "\u0000\u2028" },
    specHash: "ab".repeat(32),
    missed: "once",
    createdAt: 1_000,
  };
}

/** Registers the tests of a store of scheduled jobs. */
export function describeSchedules(
  make: StoreFactory,
  { isShared }: { readonly isShared: boolean },
): void {
  test("the jobs of one owner are listed, oldest first, and no others", async () => {
    const { store, reopen } = await openSubject(make, "schedules");
    for (const id of ["b", "a"]) await store.schedules.add(job(id), 1_000);
    await store.schedules.add(job("c", '[null,"eve"]'), 1_000);
    const { schedules } = isShared ? await reopen() : store;
    expect(await schedules.list("[null,null]")).toEqual([
      { ...job("b"), nextAt: 1_000, runs: 0 },
      { ...job("a"), nextAt: 1_000, runs: 0 },
    ]);
  });

  test("jobs are due from their slot on, the earliest first, and at most as many as requested", async () => {
    const { schedules } = (await openSubject(make, "schedules")).store;
    await schedules.add(job("late"), 3_000);
    await schedules.add(job("second"), 2_000);
    await schedules.add(job("first"), 1_000);
    const due = async (now: number, limit: number) =>
      (await schedules.due(now, limit)).map(({ id }) => id);
    expect(await due(999, 10)).toEqual([]);
    expect(await due(2_000, 10)).toEqual(["first", "second"]);
    expect(await due(9_000, 2)).toEqual(["first", "second"]);
  });

  test("a slot is taken by one of all processes, and the job has its next one", async () => {
    const { store, reopen, clock } = await openSubject(make, "schedules");
    const stores = [store, isShared ? await reopen() : store];
    await store.schedules.add(job("a"), 1_000);
    const taken = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => stores[n % 2]!.schedules.claim("a", 1_000, 2_000)),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
    const lastRun = { slot: 1_000, status: "running", startedAt: clock.now() } as const;
    expect(await store.schedules.list("[null,null]")).toEqual([
      { ...job("a"), nextAt: 2_000, runs: 1, lastRun },
    ]);
    const finished = { ...lastRun, status: "completed", detail: "It was sent." } as const;
    await store.schedules.finish("a", finished);
    expect(await stores[1]!.schedules.list("[null,null]")).toMatchObject([{ lastRun: finished }]);
  });

  test("a job is not due while it runs, and takes no place of another one", async () => {
    const { store, reopen } = await openSubject(make, "schedules");
    const { schedules } = isShared ? await reopen() : store;
    for (const id of ["a", "b"]) await store.schedules.add(job(id), 1_000);
    await store.schedules.claim("a", 1_000, 2_000);
    const due = async () => (await schedules.due(9_000, 1)).map(({ id }) => id);
    expect(await due()).toEqual(["b"]);
    await store.schedules.claim("b", 1_000, 3_000);
    expect(await due()).toEqual([]);
    await store.schedules.finish("a", { slot: 1_000, status: "completed", startedAt: 1_000 });
    expect(await due()).toEqual(["a"]);
  });

  test("after its last slot a job is listed, and never due", async () => {
    const { schedules } = (await openSubject(make, "schedules")).store;
    await schedules.add(job("a"), 1_000);
    expect(await schedules.claim("a", 1_000, undefined)).toBe(true);
    expect(await schedules.due(9_000_000, 10)).toEqual([]);
    expect(await schedules.claim("a", 1_000, undefined)).toBe(false);
    const [stored] = await schedules.list("[null,null]");
    expect(stored).toMatchObject({ id: "a", runs: 1 });
    expect(stored).not.toHaveProperty("nextAt");
  });

  test("a job is removed by its owner only, once", async () => {
    const { schedules } = (await openSubject(make, "schedules")).store;
    await schedules.add(job("a"), 1_000);
    expect(await schedules.remove('[null,"eve"]', "a")).toBe(false);
    expect(await schedules.remove("[null,null]", "a")).toBe(true);
    expect(await schedules.remove("[null,null]", "a")).toBe(false);
    expect(await schedules.claim("a", 1_000, 2_000)).toBe(false);
    await schedules.finish("a", { slot: 1_000, status: "completed", startedAt: 0 });
    expect(await schedules.list("[null,null]")).toEqual([]);
  });

  test("an owner may have a maximum number of jobs that have not ended", async () => {
    const { schedules } = (await openSubject(make, "schedules", { maxPerOwner: 2 })).store;
    for (const id of ["a", "b"]) await schedules.add(job(id), 1_000);
    expect((await catchToolError(() => schedules.add(job("c"), 1_000))).code).toBe(
      "limit_exceeded",
    );
    await schedules.add(job("c", '[null,"eve"]'), 1_000);
    await schedules.claim("a", 1_000, undefined);
    await schedules.add(job("d"), 1_000);
  });

  test.runIf(isShared)(
    "a run whose process has ended is unfinished once its lease has expired",
    async () => {
      const { store: gone, reopen, clock } = await openSubject(make, "schedules");
      await gone.schedules.add(job("a"), 1_000);
      await gone.schedules.claim("a", 1_000, 2_000);
      const other = await reopen();
      await clock.advance(100_000);
      const status = async () =>
        (await other.schedules.list("[null,null]")).map(({ lastRun }) => lastRun?.status);
      expect(await status()).toEqual(["running"]);
      expect(await other.schedules.due(9_000_000, 10)).toEqual([]);
      await gone.close?.();
      await clock.advance(29_999 - (100_000 % 10_000));
      expect(await status()).toEqual(["running"]);
      await clock.advance(1);
      expect(await status()).toEqual(["unfinished"]);
      expect(await other.schedules.due(9_000_000, 10)).toHaveLength(1);
    },
  );
}
