import { describe, expect, test } from "vitest";
import { memoryTasks, type TaskStore } from "@toolweave/core/stores";
import { FakeClock } from "@toolweave/test-support/fake-clock";
import { createId, task, taskStoreContract } from "./task-store-contract.ts";

const hour = 60 * 60 * 1000;

taskStoreContract("memoryTasks", () => {
  const clock = new FakeClock();
  return { store: memoryTasks(clock), now: () => clock.now(), skip: (ms) => clock.skip(ms) };
});

function filled(count: number): { readonly clock: FakeClock; readonly store: TaskStore } {
  const clock = new FakeClock();
  const store = memoryTasks(clock, { maxPerOwner: 10_000 });
  for (let n = 0; n < count; n++) void store.add(task(clock.now(), { id: createId(n) }));
  return { clock, store };
}

function end(store: TaskStore, clock: FakeClock, n: number, text = "fine"): void {
  const times = { updatedAt: clock.now(), expiresAt: clock.now() + 10_000 };
  const content = [{ type: "text", text }] as const;
  const result = { callId: "", toolName: "", content, artifacts: [], isError: false };
  void store.change(createId(n), {
    status: "completed",
    result: { ...result, durationMs: 0, timestamp: 0 },
    ...times,
  });
}

describe("memoryTasks", () => {
  test("stores 2,500 tasks of one caller over all its sessions, and then those of others", () => {
    const clock = new FakeClock();
    const store = memoryTasks(clock);
    const of = (n: number, owner: string): void =>
      void store.add(task(clock.now(), { id: createId(n), owner }));
    for (let n = 0; n < 2_500; n++) of(n, `["session ${n}","flooder"]`);
    expect(() => of(2_500, '["another","flooder"]')).toThrowError(
      expect.objectContaining({
        code: "limit_exceeded",
        message: expect.stringContaining("2500 tasks of this caller") as string,
      }),
    );
    of(2_501, '["session 0","ada"]');
    of(2_502, '["session 0",null]');
    end(store, clock, 0);
    of(2_500, '["another","flooder"]');
  });

  test("makes room with the ended tasks of the owner with the most, and of the owner itself", () => {
    const clock = new FakeClock();
    const store = memoryTasks(clock, { maxPerOwner: 3 });
    void store.add(task(clock.now(), { id: createId(0), owner: '[null,"ada"]' }));
    end(store, clock, 0);
    for (let n = 1; n <= 6; n++) {
      void store.add(task(clock.now(), { id: createId(n), owner: '[null,"flooder"]' }));
      end(store, clock, n);
    }
    const there = [0, 1, 2, 3, 4, 5, 6].map((n) => store.get(createId(n)) !== undefined);
    expect(there).toEqual([true, false, false, false, true, true, true]);
  });

  test("loses no result of another for one caller's 64 Mi characters of them", () => {
    const clock = new FakeClock();
    const store = memoryTasks(clock);
    for (let n = 0; n <= 5; n++) {
      const owner = n === 0 ? '[null,"ada"]' : '[null,"flooder"]';
      void store.add(task(clock.now(), { id: createId(n), owner }));
    }
    end(store, clock, 0, "small");
    for (let n = 1; n <= 5; n++) end(store, clock, n, "x".repeat(16 * 2 ** 20));
    const there = [0, 1, 2, 3, 4, 5].map((n) => store.get(createId(n)) !== undefined);
    expect(there).toEqual([true, false, false, true, true, true]);
  });

  test("stores no more than 10,000 tasks that have not ended", () => {
    const { clock, store } = filled(10_000);
    expect(() => store.add(task(clock.now(), { id: createId(10_000) }))).toThrowError(
      expect.objectContaining({ code: "limit_exceeded" }),
    );
    end(store, clock, 5);
    void store.add(task(clock.now(), { id: createId(10_000) }));
    expect(store.get(createId(10_000))).toMatchObject({ status: "working" });
  });

  test("evicts ended tasks, the first to end first", () => {
    const { clock, store } = filled(10_000);
    for (const n of [7, 3, 9]) end(store, clock, n);
    void store.add(task(clock.now(), { id: createId(10_000) }));
    void store.add(task(clock.now(), { id: createId(10_001) }));
    expect([7, 3, 9].map((n) => store.get(createId(n)) === undefined)).toEqual([true, true, false]);
  });

  test("removes expired tasks when it needs room", () => {
    const { clock, store } = filled(10_000);
    clock.skip(hour);
    void store.add(task(clock.now(), { id: createId(10_000) }));
    expect(store.list(task(0).owner)).toHaveLength(1);
  });

  test("stores 64 Mi characters of results, and always the last one", () => {
    const { clock, store } = filled(6);
    const large = "x".repeat(20 * 2 ** 20);
    for (let n = 0; n < 5; n++) end(store, clock, n, large);
    const left = [0, 1, 2, 3, 4].filter((n) => store.get(createId(n)) !== undefined);
    expect(left).toEqual([2, 3, 4]);
    end(store, clock, 5, "x".repeat(70 * 2 ** 20));
    expect(store.get(createId(4))).toBeUndefined();
    expect(store.get(createId(5))).toMatchObject({ status: "completed" });
  });
});
