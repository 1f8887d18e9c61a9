import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import type { TaskChange, TaskRecord } from "@toolweave/core/stores";
import { describe, expect, test } from "vitest";
import { failure } from "./support/failure.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { openStore } from "./support/open-store.ts";
import { taskRecord } from "./support/tasks.ts";
import { tempFolder } from "./support/temp-folder.ts";

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

describe("keeping tasks", () => {
  test("an added task is returned unchanged, after a reopening, too", async () => {
    const path = join(tempFolder(), "store.db");
    const first = openStore(path);
    await first.tasks.add(taskRecord("a", { status: "input_required", interruptionId: "i" }));
    await first.tasks.add(taskRecord("b"));
    await first.tasks.change("b", change("completed", { result }));
    first.close();
    const { tasks } = openStore(path);
    expect(await tasks.get("a")).toEqual(
      taskRecord("a", { status: "input_required", interruptionId: "i" }),
    );
    const kept = await tasks.get("b");
    expect(kept).toEqual(taskRecord("b", { ...change("completed"), result }));
    expect(JSON.stringify(kept?.result)).toBe(JSON.stringify(result));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(await tasks.get("c")).toBeUndefined();
  });

  test("those of one owner are listed, oldest first, and no others", async () => {
    const { tasks } = openStore(":memory:");
    for (const id of ["c", "a", "b"]) await tasks.add(taskRecord(id));
    await tasks.add(taskRecord("d", { owner: '["session","grace"]' }));
    await tasks.change("a", change("completed", { result }));
    const listed = await tasks.list('["session","ada"]');
    expect(listed.map(({ id }) => id)).toEqual(["c", "a", "b"]);
    expect(await tasks.list("' OR 1=1 --")).toEqual([]);
  });

  test("an existing id is refused, also once its task has expired", async () => {
    const clock = new FakeClock();
    const { tasks } = openStore({ path: ":memory:", clock });
    await tasks.add(taskRecord("a", { expiresAt: clock.now() + 1 }));
    expect((await failure(() => tasks.add(taskRecord("a", { owner: "eve" })))).code).toBe(
      "internal",
    );
    expect((await tasks.get("a"))?.owner).toBe(taskRecord("a").owner);
  });

  test("a task that was swapped for another one is not returned for that one's id", async () => {
    const path = join(tempFolder(), "store.db");
    const { tasks } = openStore(path);
    await tasks.add(taskRecord("a"));
    await tasks.add(taskRecord("b", { owner: '["session","grace"]' }));
    const db = new DatabaseSync(path);
    db.exec("UPDATE tasks SET task = (SELECT task FROM tasks WHERE id = 'b') WHERE id = 'a'");
    db.close();
    expect(await tasks.get("a")).toBeUndefined();
    expect(await tasks.list('["session","ada"]')).toEqual([]);
  });
});

describe("changing tasks", () => {
  test("a task waits for a person and is resumed, without its former interruption", async () => {
    const { tasks } = openStore(":memory:");
    await tasks.add(taskRecord("a"));
    const waits = change("input_required", { interruptionId: "i" });
    expect(await tasks.change("a", waits)).toBe(true);
    expect(await tasks.get("a")).toEqual(taskRecord("a", waits));
    expect(await tasks.change("a", change("working"))).toBe(true);
    expect(await tasks.get("a")).toEqual(taskRecord("a", change("working")));
  });

  test.each(["completed", "failed", "cancelled"] as const)(
    "a task that is %s is final",
    async (status) => {
      const { tasks } = openStore(":memory:");
      await tasks.add(taskRecord("a"));
      const error = { code: "upstream", message: "It is down." } as const;
      expect(await tasks.change("a", change(status, { result, error }))).toBe(true);
      for (const other of ["working", "input_required", "completed", "cancelled"] as const) {
        expect(await tasks.change("a", change(other))).toBe(false);
      }
      expect(await tasks.get("a")).toEqual(taskRecord("a", { ...change(status), result, error }));
      expect(await tasks.change("unknown", change("completed"))).toBe(false);
    },
  );

  test("of several ends the first is stored, whichever store it comes through", async () => {
    const path = join(tempFolder(), "store.db");
    const stores = [openStore(path), openStore(path)];
    await stores[0]!.tasks.add(taskRecord("a"));
    const ends = ["completed", "cancelled", "failed", "completed"] as const;
    const changed = await Promise.all(
      ends.map((status, index) => stores[index % 2]!.tasks.change("a", change(status))),
    );
    expect(changed.filter(Boolean)).toHaveLength(1);
    expect((await stores[1]!.tasks.get("a"))?.status).toBe(ends[changed.indexOf(true)]);
  });
});

describe("expiry and limits", () => {
  test("from expiresAt on a task does not exist, and is removed with the next", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const { tasks } = openStore({ path, clock });
    const expiresAt = clock.now() + 1_000;
    await tasks.add(taskRecord("a", { expiresAt }));
    await tasks.add(taskRecord("b", { expiresAt }));
    await tasks.change("b", change("completed", { expiresAt: clock.now() + 2_000, result }));
    clock.advance(999);
    expect((await tasks.get("a"))?.status).toBe("working");
    clock.advance(1);
    expect(await tasks.get("a")).toBeUndefined();
    expect(await tasks.change("a", change("completed"))).toBe(false);
    expect((await tasks.list('["session","ada"]')).map(({ id }) => id)).toEqual(["b"]);
    clock.advance(1_000);
    await tasks.add(taskRecord("c"));
    const db = new DatabaseSync(path);
    expect(db.prepare("SELECT id FROM tasks").all()).toEqual([{ id: "c" }]);
    db.close();
  });

  /**
   * A store with the given number of tasks, of which 20 have ended: the later, the earlier in the
   * list.
   */
  async function filled(count: number, clock: FakeClock) {
    const path = join(tempFolder(), "store.db");
    const store = openStore({ path, clock });
    const db = new DatabaseSync(path);
    const insert = db.prepare(
      "INSERT INTO tasks (id, owner, status, task, expires_at, lease_until) VALUES (?, ?, ?, ?, ?, 0)",
    );
    db.exec("BEGIN");
    for (let id = 0; id < count; id++) {
      const ended = id % 500 === 0;
      const task = taskRecord(`${id}`, ended ? { ...change("completed", { result }) } : {});
      insert.run(task.id, task.owner, task.status, JSON.stringify(task), forever - id);
    }
    db.exec("COMMIT");
    db.close();
    return store;
  }

  test("of 10,000 tasks ended ones are evicted, the first to end first", async () => {
    const { tasks } = await filled(10_000, new FakeClock());
    await tasks.add(taskRecord("new"));
    expect(await tasks.get("9500")).toBeUndefined();
    expect(await tasks.get("9000")).toBeDefined();
    expect(await tasks.get("9501")).toBeDefined();
  });

  test("10,000 running ones leave no room for another", async () => {
    const { tasks } = await filled(10_000, new FakeClock());
    for (let id = 0; id < 20; id++) await tasks.add(taskRecord(`new-${id}`));
    expect(await failure(() => tasks.add(taskRecord("late")))).toMatchObject({
      code: "limit_exceeded",
      message: "10000 tasks are under way already: wait for one of them, or cancel one.",
    });
    expect(await tasks.change("new-0", change("completed", { result }))).toBe(true);
    await tasks.add(taskRecord("late"));
  });

  test("results take 256 Mi characters together: the first to end are evicted, never the last", async () => {
    const path = join(tempFolder(), "store.db");
    const { tasks } = openStore(path);
    const db = new DatabaseSync(path);
    // As if there were others already that take nearly all.
    const others = 268_435_456 - 10_000;
    db.exec(`UPDATE space SET tasks = ${others}`);
    const left = (): number =>
      (db.prepare("SELECT tasks FROM space").get()?.["tasks"] as number) - others;
    const ids = ["a", "b", "c", "d"];
    const there = async (): Promise<readonly (string | undefined)[]> =>
      (await Promise.all(ids.map((id) => tasks.get(id)))).map((task) => task?.id);
    for (const id of ids) {
      await tasks.add(taskRecord(id));
      const expiresAt = forever + id.charCodeAt(0);
      const value = "x".repeat(4_000);
      await tasks.change(id, change("completed", { expiresAt, result: { ...result, value } }));
      expect(left()).toBeLessThanOrEqual(10_000);
    }
    expect(await there()).toEqual([undefined, undefined, "c", "d"]);
    await tasks.add(taskRecord("e"));
    const value = "x".repeat(20_000);
    await tasks.change("e", change("completed", { result: { ...result, value } }));
    expect([...(await there()), (await tasks.get("e"))?.id]).toEqual([
      ...ids.map(() => undefined),
      "e",
    ]);
    db.close();
  });
});

describe("leases", () => {
  test("a task whose process has ended is lost once the lease has expired, and cannot be run again", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const gone = openStore({ path, clock });
    await gone.tasks.add(taskRecord("a"));
    gone.close();
    const { tasks } = openStore({ path, clock });
    clock.advance(29_999);
    expect(await tasks.get("a")).toEqual(taskRecord("a"));
    expect(await tasks.change("a", change("working"))).toBe(false);
    clock.advance(1);
    expect(await tasks.get("a")).toEqual({ ...taskRecord("a"), lost: true });
    expect(await tasks.list(taskRecord("a").owner)).toEqual([{ ...taskRecord("a"), lost: true }]);
    expect(await tasks.change("a", change("working"))).toBe(false);
    // The process that detects it stores that permanently.
    expect(await tasks.change("a", change("failed", { result }))).toBe(true);
    expect(await tasks.get("a")).toEqual(taskRecord("a", { ...change("failed"), result }));
  });

  test("a task that waits for a person has no owner, and the process that resumes it owns it", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const first = openStore({ path, clock });
    await first.tasks.add(taskRecord("a"));
    expect(clock.timers).toBe(1);
    await first.tasks.change("a", change("input_required", { interruptionId: "i" }));
    expect(clock.timers).toBe(0);
    clock.advance(1_000_000);
    const second = openStore({ path, clock });
    expect((await second.tasks.get("a"))?.lost).toBeUndefined();
    expect(await second.tasks.change("a", change("working"))).toBe(true);
    expect(await first.tasks.change("a", change("working"))).toBe(false);
    clock.advance(100_000);
    expect((await first.tasks.get("a"))?.lost).toBeUndefined();
    second.close();
    clock.advance(30_000);
    expect((await first.tasks.get("a"))?.lost).toBe(true);
  });

  test("a lease is renewed as long as the task runs, and by one timer", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const owner = openStore({ path, clock, leaseMs: 300 });
    const other = openStore({ path, clock });
    await owner.tasks.add(taskRecord("a"));
    await owner.tasks.add(taskRecord("b"));
    expect(clock.timers).toBe(1);
    for (let turn = 0; turn < 100; turn++) {
      clock.advance(97);
      expect((await other.tasks.get("a"))?.lost).toBeUndefined();
    }
    await owner.tasks.change("a", change("completed", { result }));
    expect(clock.timers).toBe(1);
    await owner.tasks.change("b", change("failed", { result }));
    expect(clock.timers).toBe(0);
  });

  test("an owner that was too busy to renew its lease still owns the task, and a change confirms that", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const owner = openStore({ path, clock, leaseMs: 300 });
    const other = openStore({ path, clock });
    await owner.tasks.add(taskRecord("a"));
    clock.skip(10_000);
    expect((await owner.tasks.get("a"))?.lost).toBeUndefined();
    expect((await other.tasks.get("a"))?.lost).toBe(true);
    expect(await owner.tasks.change("a", change("working"))).toBe(true);
    expect((await other.tasks.get("a"))?.lost).toBeUndefined();
  });

  test("an end that cannot be written leaves the task to be reported as lost", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const owner = openStore({ path, clock });
    const other = openStore({ path, clock });
    await owner.tasks.add(taskRecord("a"));
    const db = new DatabaseSync(path);
    db.exec("BEGIN IMMEDIATE");
    expect((await failure(() => owner.tasks.change("a", change("completed")))).code).toBe(
      "store_unavailable",
    );
    db.close();
    clock.advance(30_000);
    expect((await other.tasks.get("a"))?.lost).toBe(true);
    // The process that has the end can still store it.
    expect(await owner.tasks.change("a", change("completed", { result }))).toBe(true);
  });
});
