import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { catchToolError, FakeClock } from "@toolweave/conformance/stores";
import { testTask } from "@toolweave/conformance/test-records";
import type { TaskChange, TaskRecord } from "@toolweave/core/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, test } from "vitest";
import { openStore } from "./support/open-store.ts";

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

describe("tasks in a file", () => {
  test("an expired task is removed from the file with the next", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const { tasks } = openStore({ path, clock });
    await tasks.add(testTask("a", { expiresAt: clock.now() + 1 }));
    clock.advance(1);
    await tasks.add(testTask("c"));
    const db = new DatabaseSync(path);
    expect(db.prepare("SELECT id FROM tasks").all()).toEqual([{ id: "c" }]);
    db.close();
  });

  test("a task that was swapped for another one is not returned for that one's id", async () => {
    const path = join(tempFolder(), "store.db");
    const { tasks } = openStore(path);
    await tasks.add(testTask("a"));
    await tasks.add(testTask("b", { owner: '["session","grace"]' }));
    const db = new DatabaseSync(path);
    db.exec("UPDATE tasks SET task = (SELECT task FROM tasks WHERE id = 'b') WHERE id = 'a'");
    db.close();
    expect(await tasks.get("a")).toBeUndefined();
    expect(await tasks.list('["session","ada"]')).toEqual([]);
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
      const task = testTask(`${id}`, ended ? { ...change("completed", { result }) } : {});
      insert.run(task.id, task.owner, task.status, JSON.stringify(task), forever - id);
    }
    db.exec("COMMIT");
    db.close();
    return store;
  }

  test("of 10,000 tasks ended ones are evicted, the first to end first", async () => {
    const { tasks } = await filled(10_000, new FakeClock());
    await tasks.add(testTask("new"));
    expect(await tasks.get("9500")).toBeUndefined();
    expect(await tasks.get("9000")).toBeDefined();
    expect(await tasks.get("9501")).toBeDefined();
  });

  test("10,000 running ones leave no room for another", async () => {
    const { tasks } = await filled(10_000, new FakeClock());
    for (let id = 0; id < 20; id++) await tasks.add(testTask(`new-${id}`));
    expect(await catchToolError(() => tasks.add(testTask("late")))).toMatchObject({
      code: "limit_exceeded",
      message: "10000 tasks are under way already: wait for one of them, or cancel one.",
    });
    expect(await tasks.change("new-0", change("completed", { result }))).toBe(true);
    await tasks.add(testTask("late"));
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
      await tasks.add(testTask(id));
      const expiresAt = forever + id.charCodeAt(0);
      const value = "x".repeat(4_000);
      await tasks.change(id, change("completed", { expiresAt, result: { ...result, value } }));
      expect(left()).toBeLessThanOrEqual(10_000);
    }
    expect(await there()).toEqual([undefined, undefined, "c", "d"]);
    await tasks.add(testTask("e"));
    const value = "x".repeat(20_000);
    await tasks.change("e", change("completed", { result: { ...result, value } }));
    expect([...(await there()), (await tasks.get("e"))?.id]).toEqual([
      ...ids.map(() => undefined),
      "e",
    ]);
    db.close();
  });

  test("an end that cannot be written leaves the task to be reported as lost", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const owner = openStore({ path, clock });
    const other = openStore({ path, clock });
    await owner.tasks.add(testTask("a"));
    const db = new DatabaseSync(path);
    db.exec("BEGIN IMMEDIATE");
    expect((await catchToolError(() => owner.tasks.change("a", change("completed")))).code).toBe(
      "store_unavailable",
    );
    db.close();
    clock.advance(30_000);
    expect((await other.tasks.get("a"))?.lost).toBe(true);
    // The process that has the end can still store it.
    expect(await owner.tasks.change("a", change("completed", { result }))).toBe(true);
  });
});
