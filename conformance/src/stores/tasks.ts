import type { Awaitable } from "@toolweave/core";
import type { ListedTask, TaskChange, TaskRecord } from "@toolweave/core/stores";
import { describe, expect, test } from "vitest";
import { catchToolError } from "./catch-tool-error.ts";
import { testTask } from "./test-records.ts";
import {
  openSubject,
  type OpenedStore,
  type StoreClock,
  type StoreFactory,
} from "./store-under-test.ts";

const forever = 9_000_000_000_000;

const result = {
  callId: "call_a",
  toolName: "build_report",
  content: [{ type: "text", text: "done\u2028\ud83d\ude00" }],
  value: JSON.parse('{"__proto__": {"polluted": true}, "a": [1, null]}'),
  artifacts: [],
  isError: false,
  durationMs: 5,
  timestamp: 2_000,
} as const satisfies TaskRecord["result"];

function change(status: TaskRecord["status"], more: Partial<TaskChange> = {}): TaskChange {
  return { status, updatedAt: 2_000, expiresAt: forever, ...more };
}

/** Registers the tests of a store of tasks. */
export function describeTasks(
  make: StoreFactory,
  { isShared }: { readonly isShared: boolean },
): void {
  describe("keeping tasks", () => {
    test("an added task is returned unchanged, to other processes, too", async () => {
      const { store: first, reopen } = await openSubject(make, "tasks");
      await first.tasks.add(testTask("a", { status: "input_required", interruptionId: "i" }));
      await first.tasks.add(testTask("b"));
      await first.tasks.change("b", change("completed", { result }));
      const { tasks } = isShared ? await reopen() : first;
      expect(await tasks.get("a")).toEqual(
        testTask("a", { status: "input_required", interruptionId: "i" }),
      );
      const kept = await tasks.get("b");
      expect(kept).toEqual(testTask("b", { ...change("completed"), result }));
      expect(JSON.stringify(kept?.result)).toBe(JSON.stringify(result));
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
      expect(await tasks.get("c")).toBeUndefined();
    });

    test("those of one owner are listed, oldest first, and no others", async () => {
      const { tasks } = (await openSubject(make, "tasks")).store;
      for (const [createdAt, id] of ["c", "a", "b"].entries()) {
        await tasks.add(testTask(id, { createdAt }));
      }
      await tasks.add(testTask("d", { owner: '["session","grace"]' }));
      await tasks.change("a", change("completed", { result }));
      const listed = await tasks.list('["session","ada"]');
      expect(listed.map(({ id }) => id)).toEqual(["c", "a", "b"]);
      expect(await tasks.list("' OR 1=1 --")).toEqual([]);
    });

    test("if all can be listed, the latest of every owner are, without results", async ({
      skip,
    }) => {
      const { store, clock, reopen } = await openSubject(make, "tasks");
      if (store.tasks.listLatest === undefined) skip();
      const owner = '["session","grace"]';
      const later = clock.now() + 10_000;
      for (const [createdAt, id] of ["a", "b", "c", "d"].entries()) {
        const more = id === "b" ? { owner } : id === "d" ? { expiresAt: later } : {};
        await store.tasks.add(testTask(id, { createdAt, ...more }));
      }
      await store.tasks.change("a", change("completed", { result }));
      const { tasks } = isShared ? await reopen() : store;
      const list = (max: number): Awaitable<readonly ListedTask[]> | undefined =>
        tasks.listLatest?.(max);
      expect((await list(10))?.map(({ id }) => id)).toEqual(["d", "c", "b", "a"]);
      expect((await list(2))?.map(({ id }) => id)).toEqual(["d", "c"]);
      await clock.advance(10_000);
      const listed = (await list(10)) ?? [];
      expect(listed.map(({ id }) => id)).toEqual(["c", "b", "a"]);
      expect(listed[1]).toMatchObject({ owner, status: "working" });
      expect(listed[2]).toEqual(testTask("a", { createdAt: 0, ...change("completed") }));
    });

    test("an existing id is refused, also once its task has expired", async () => {
      const { store, clock } = await openSubject(make, "tasks");
      const { tasks } = store;
      await tasks.add(testTask("a", { expiresAt: clock.now() + 1 }));
      expect((await catchToolError(() => tasks.add(testTask("a", { owner: "eve" })))).code).toBe(
        "internal",
      );
      expect((await tasks.get("a"))?.owner).toBe(testTask("a").owner);
    });
  });

  describe("changing tasks", () => {
    test("a task waits for a person and is resumed, without its former interruption", async () => {
      const { tasks } = (await openSubject(make, "tasks")).store;
      await tasks.add(testTask("a"));
      const waits = change("input_required", { interruptionId: "i" });
      expect(await tasks.change("a", waits)).toBe(true);
      expect(await tasks.get("a")).toEqual(testTask("a", waits));
      expect(await tasks.change("a", change("working"))).toBe(true);
      expect(await tasks.get("a")).toEqual(testTask("a", change("working")));
    });

    test.each(["completed", "failed", "cancelled"] as const)(
      "a task that is %s is final",
      async (status) => {
        const { tasks } = (await openSubject(make, "tasks")).store;
        await tasks.add(testTask("a"));
        const error = { code: "upstream", message: "It is down." } as const;
        expect(await tasks.change("a", change(status, { result, error }))).toBe(true);
        for (const other of ["working", "input_required", "completed", "cancelled"] as const) {
          expect(await tasks.change("a", change(other))).toBe(false);
        }
        expect(await tasks.get("a")).toEqual(testTask("a", { ...change(status), result, error }));
        expect(await tasks.change("unknown", change("completed"))).toBe(false);
      },
    );

    test("of several ends the first is stored, whichever store it comes through", async () => {
      const { store, reopen } = await openSubject(make, "tasks");
      const stores = [store, isShared ? await reopen() : store];
      await stores[0]!.tasks.add(testTask("a"));
      const ends = ["completed", "cancelled", "failed", "completed"] as const;
      const changed = await Promise.all(
        ends.map((status, index) => stores[index % 2]!.tasks.change("a", change(status))),
      );
      expect(changed.filter(Boolean)).toHaveLength(1);
      expect((await stores[1]!.tasks.get("a"))?.status).toBe(ends[changed.indexOf(true)]);
    });
  });

  describe("expiry and limits", () => {
    test("from expiresAt on a task does not exist, and its owner has none", async () => {
      const { store, clock } = await openSubject(make, "tasks");
      const { tasks } = store;
      const expiresAt = clock.now() + 1_000;
      await tasks.add(testTask("a", { expiresAt }));
      await tasks.add(testTask("b", { expiresAt }));
      await tasks.change("b", change("completed", { expiresAt: clock.now() + 2_000, result }));
      await clock.advance(999);
      expect((await tasks.get("a"))?.status).toBe("working");
      await clock.advance(1);
      expect(await tasks.get("a")).toBeUndefined();
      expect(await tasks.change("a", change("completed"))).toBe(false);
      expect((await tasks.list('["session","ada"]')).map(({ id }) => id)).toEqual(["b"]);
      await clock.advance(1_000);
      expect(await tasks.list('["session","ada"]')).toEqual([]);
    });
  });

  describe.runIf(isShared)("leases", () => {
    test("a task whose process has ended is lost once the lease has expired, and cannot be run again", async () => {
      const { store: gone, clock, reopen } = await openSubject(make, "tasks");
      await gone.tasks.add(testTask("a"));
      await gone.close?.();
      const { tasks } = await reopen();
      await clock.advance(29_999);
      expect(await tasks.get("a")).toEqual(testTask("a"));
      expect(await tasks.change("a", change("working"))).toBe(false);
      await clock.advance(1);
      expect(await tasks.get("a")).toEqual({ ...testTask("a"), lost: true });
      expect(await tasks.list(testTask("a").owner)).toEqual([{ ...testTask("a"), lost: true }]);
      expect(await tasks.change("a", change("working"))).toBe(false);
      // The process that detects it stores that permanently.
      expect(await tasks.change("a", change("failed", { result }))).toBe(true);
      expect(await tasks.get("a")).toEqual(testTask("a", { ...change("failed"), result }));
    });

    test("a task that waits for a person has no owner, and the process that resumes it owns it", async () => {
      const { store: first, clock, reopen } = await openSubject(make, "tasks");
      await first.tasks.add(testTask("a"));
      expect(clock.timers).toBe(1);
      await first.tasks.change("a", change("input_required", { interruptionId: "i" }));
      expect(clock.timers).toBe(0);
      await clock.advance(1_000_000);
      const second = await reopen();
      expect((await second.tasks.get("a"))?.lost).toBeUndefined();
      expect(await second.tasks.change("a", change("working"))).toBe(true);
      expect(await first.tasks.change("a", change("working"))).toBe(false);
      await clock.advance(100_000);
      expect((await first.tasks.get("a"))?.lost).toBeUndefined();
      await second.close?.();
      await clock.advance(30_000);
      expect((await first.tasks.get("a"))?.lost).toBe(true);
    });

    test("a lease is renewed as long as the task runs, and by one timer", async () => {
      const { store: owner, clock, reopen } = await openSubject(make, "tasks", { leaseMs: 300 });
      const other = await reopen();
      await owner.tasks.add(testTask("a"));
      await owner.tasks.add(testTask("b"));
      expect(clock.timers).toBe(1);
      for (let turn = 0; turn < 100; turn++) {
        await clock.advance(97);
        expect((await other.tasks.get("a"))?.lost).toBeUndefined();
      }
      await owner.tasks.change("a", change("completed", { result }));
      expect(clock.timers).toBe(1);
      await owner.tasks.change("b", change("failed", { result }));
      expect(clock.timers).toBe(0);
    });

    test("an owner that was too busy to renew its lease still owns the task, and a change confirms that", async () => {
      const { store: owner, clock, reopen } = await openSubject(make, "tasks", { leaseMs: 300 });
      const other = await reopen();
      await owner.tasks.add(testTask("a"));
      await clock.skip(10_000);
      expect((await owner.tasks.get("a"))?.lost).toBeUndefined();
      expect((await other.tasks.get("a"))?.lost).toBe(true);
      expect(await owner.tasks.change("a", change("working"))).toBe(true);
      expect((await other.tasks.get("a"))?.lost).toBeUndefined();
    });
  });

  describe("watching", () => {
    /** Whether a wait for the task "a" ends by the cause, in the time that a store needs to find it by polling. */
    async function endsWait(
      { tasks }: OpenedStore,
      clock: StoreClock,
      cause: () => unknown,
    ): Promise<boolean> {
      const wait = { isOver: false };
      void tasks!.watch!("a", new AbortController().signal).then(() => (wait.isOver = true));
      await tasks!.get("a");
      await cause();
      for (let turn = 0; turn < 20 && !wait.isOver; turn++) await clock.advance(100);
      return wait.isOver;
    }

    test("a wait ends when the task continues, ends or is to be cancelled, in any process", async ({
      skip,
    }) => {
      const { store, clock, reopen } = await openSubject(make, "tasks");
      if (store.tasks.watch === undefined) skip();
      const other = isShared ? await reopen() : store;
      await store.tasks.add(testTask("a"));
      const requested = () => store.tasks.requestCancel!("a", "ada");
      expect(await endsWait(other, clock, requested)).toBe(true);
      const asks = change("input_required", { interruptionId: "i" });
      expect(await endsWait(other, clock, () => store.tasks.change("a", asks))).toBe(true);
      const continues = change("working");
      expect(await endsWait(other, clock, () => store.tasks.change("a", continues))).toBe(true);
      const ended = change("completed", { result });
      expect(await endsWait(store, clock, () => other.tasks.change("a", ended))).toBe(true);
    });

    test.runIf(isShared)("a wait ends when the process of the task has ended", async ({ skip }) => {
      const { store, clock, reopen } = await openSubject(make, "tasks", { leaseMs: 300 });
      if (store.tasks.watch === undefined) skip();
      const other = await reopen();
      await store.tasks.add(testTask("a"));
      expect(await endsWait(other, clock, () => store.close?.())).toBe(true);
      expect((await other.tasks.get("a"))?.lost).toBe(true);
    });

    test("a request to cancel is returned while the task runs, and is refused after that", async ({
      skip,
    }) => {
      const { store, reopen } = await openSubject(make, "tasks");
      if (store.tasks.requestCancel === undefined) skip();
      const other = isShared ? await reopen() : store;
      const { tasks } = store;
      await tasks.add(testTask("a"));
      for (const by of ['ada \u0000 "\u{1f511}"', ""]) {
        expect(await other.tasks.requestCancel?.("a", by)).toBe(true);
        expect(await tasks.get("a")).toEqual({ ...testTask("a"), cancelRequestedBy: by });
      }
      await tasks.change("a", change("input_required", { interruptionId: "i" }));
      expect(await other.tasks.requestCancel?.("a", "ada")).toBe(false);
      await tasks.change("a", change("working"));
      expect((await tasks.get("a"))?.cancelRequestedBy).toBeUndefined();
      await other.tasks.requestCancel?.("a", "ada");
      await tasks.change("a", change("cancelled"));
      expect((await tasks.get("a"))?.cancelRequestedBy).toBeUndefined();
      expect(await other.tasks.requestCancel?.("a", "ada")).toBe(false);
      expect(await other.tasks.requestCancel?.("none", "ada")).toBe(false);
    });

    test("a wait ends with its signal, and with its store", async ({ skip }) => {
      const { store } = await openSubject(make, "tasks");
      const { tasks } = store;
      if (tasks.watch === undefined) skip();
      await tasks.add(testTask("a"));
      const waiting = new AbortController();
      const aborted = tasks.watch?.("a", waiting.signal);
      waiting.abort();
      await aborted;
      expect(await tasks.watch?.("a", waiting.signal)).toBeUndefined();
      if (!isShared) return;
      const stopped = tasks.watch?.("a", new AbortController().signal);
      await store.close?.();
      expect(await stopped).toBeUndefined();
    });
  });

  test("the tasks of one caller are limited in number, and those of others are still accepted", async () => {
    const maxPerOwner = 5;
    const flooder = (session: number): string => `["session ${session}","flooder"]`;
    const others = ['["session 0","ada"]', '["session 0",null]', "[null,null]"];
    const { tasks } = (await openSubject(make, "tasks", { maxPerOwner })).store;
    await tasks.add(testTask("ada", { owner: others[0]! }));
    await tasks.change("ada", change("completed", { result }));
    for (let n = 0; n < maxPerOwner; n++) await tasks.add(testTask(`${n}`, { owner: flooder(n) }));
    const more = testTask("more", { owner: flooder(99) });
    const refused = await catchToolError(() => tasks.add(more));
    expect(refused.code).toBe("limit_exceeded");
    expect(refused.message).toMatch(/5 tasks of this caller.*wait for one of them, .*cancel one/);
    for (const owner of others) await tasks.add(testTask(`of ${owner}`, { owner }));
    await tasks.change("3", change("completed", { result }));
    await tasks.change("4", change("completed", { result }));
    await tasks.add(more);
    expect(await tasks.get("3")).toBeUndefined();
    expect(await tasks.get("ada")).toMatchObject({ status: "completed" });
  });
}
