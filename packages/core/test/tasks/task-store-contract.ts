import { describe, expect, test } from "vitest";
import { ToolError } from "@toolweave/core";
import type { TaskRecord, TaskStore } from "@toolweave/core/stores";

/** A store of tasks, and its clock. */
export interface TaskStoreUnderTest {
  readonly store: TaskStore;
  readonly now: () => number;
  /** Advances the time. */
  readonly skip: (ms: number) => void;
}

/** The retention time of the contract's tasks. */
const lifetimeMs = 10_000;

/** A task of `ada`, created now. */
export function task(now: number, more: Partial<TaskRecord> = {}): TaskRecord {
  return {
    id: `task_${"0".repeat(31)}1`,
    owner: '["s","ada"]',
    runId: "run",
    callId: "call",
    tool: "build",
    status: "working",
    createdAt: now,
    updatedAt: now,
    expiresAt: now + lifetimeMs,
    ...more,
  };
}

/** The id of the contract's task number `n`. */
export function createId(n: number): string {
  return `task_${String(n).padStart(32, "0")}`;
}

const result = {
  callId: "call",
  toolName: "build",
  content: [{ type: "text", text: "Strange: \u2028 \u{1f600}" }],
  value: JSON.parse('{"__proto__": {"polluted": true}, "a": [1, null]}'),
  artifacts: [],
  isError: true,
  durationMs: 12,
  timestamp: 1,
} as const satisfies TaskRecord["result"];

/** The requirements of every store of tasks, however it is implemented. */
export function taskStoreContract(name: string, make: () => TaskStoreUnderTest): void {
  describe(`${name} as a store of tasks`, () => {
    test("returns an added task unchanged, and nothing for another id", async () => {
      const { store, now } = make();
      const added = task(now());
      await store.add(added);
      expect(await store.get(added.id)).toEqual(added);
      expect(await store.get(createId(2))).toBeUndefined();
      expect(await store.list(added.owner)).toEqual([added]);
      expect(await store.list('["s","bob"]')).toEqual([]);
    });

    test("changes a task that has not ended, any number of times", async () => {
      const { store, now } = make();
      const { id } = task(now());
      await store.add(task(now()));
      const times = { updatedAt: now() + 1, expiresAt: now() + 2 * lifetimeMs };
      const waits = { status: "input_required", interruptionId: "i", ...times } as const;
      expect(await store.change(id, waits)).toBe(true);
      expect(await store.get(id)).toEqual({ ...task(now()), ...waits });
      expect(await store.change(id, { status: "working", ...times })).toBe(true);
      expect(await store.get(id)).toEqual({ ...task(now()), ...times });
      const error = { code: "upstream", message: "no" } as const;
      const ends = { status: "failed", result, error, ...times } as const;
      expect(await store.change(id, ends)).toBe(true);
      const kept = await store.get(id);
      expect(kept).toEqual({ ...task(now()), ...ends });
      expect(JSON.stringify(kept?.result)).toBe(JSON.stringify(result));
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    });

    test.each(["completed", "failed", "cancelled"] as const)(
      "never changes one that is %s",
      async (status) => {
        const { store, now } = make();
        const { id } = task(now());
        await store.add(task(now()));
        const times = { updatedAt: now(), expiresAt: now() + lifetimeMs };
        expect(await store.change(id, { status, result, ...times })).toBe(true);
        for (const other of ["working", "input_required", "completed", "cancelled"] as const) {
          expect(await store.change(id, { status: other, ...times })).toBe(false);
        }
        expect(await store.get(id)).toEqual({ ...task(now()), status, result });
      },
    );

    test("changes no task that does not exist", async () => {
      const { store, now } = make();
      const times = { updatedAt: now(), expiresAt: now() + lifetimeMs };
      expect(await store.change(createId(7), { status: "completed", result, ...times })).toBe(
        false,
      );
      expect(await store.get(createId(7))).toBeUndefined();
    });

    test("accepts the first of several ends", async () => {
      const { store, now } = make();
      const { id } = task(now());
      await store.add(task(now()));
      const times = { updatedAt: now(), expiresAt: now() + lifetimeMs };
      const changed = await Promise.all(
        (["completed", "cancelled", "failed"] as const).map((status) =>
          store.change(id, { status, result, ...times }),
        ),
      );
      expect(changed.filter(Boolean)).toEqual([true]);
      const winner = (["completed", "cancelled", "failed"] as const)[changed.indexOf(true)];
      expect((await store.get(id))?.status).toBe(winner);
    });

    test("lists those of one owner, oldest first, ended or not", async () => {
      const { store, now } = make();
      for (const n of [1, 2, 3]) await store.add(task(now(), { id: createId(n), createdAt: n }));
      await store.add(task(now(), { id: createId(4), owner: '["s",null]' }));
      const times = { updatedAt: now(), expiresAt: now() + lifetimeMs };
      await store.change(createId(2), { status: "completed", result, ...times });
      const listed = await store.list(task(0).owner);
      expect(listed.map(({ id }) => id)).toEqual([createId(1), createId(2), createId(3)]);
    });

    test("removes a task when it expires, and not before", async () => {
      const { store, now, skip } = make();
      const { id, owner } = task(now());
      await store.add(task(now()));
      const times = { updatedAt: now(), expiresAt: now() + 3 * lifetimeMs };
      await store.change(id, { status: "completed", result, ...times });
      skip(3 * lifetimeMs - 1);
      expect((await store.get(id))?.status).toBe("completed");
      skip(1);
      expect([await store.get(id), await store.list(owner)]).toEqual([undefined, []]);
    });

    test("stores copies: a change of an object outside changes nothing", async () => {
      const { store, now } = make();
      const added = { ...task(now()) };
      await store.add(added);
      Object.assign(added, { status: "completed", owner: "eve" });
      const given = (await store.get(added.id)) as { tool: string };
      expect(given).toEqual(task(now()));
      given.tool = "other";
      expect(await store.get(added.id)).toEqual(task(now()));
    });

    test("refuses an id that exists, or leaves its task unchanged", async () => {
      const { store, now } = make();
      await store.add(task(now()));
      const again = Promise.resolve().then(() => store.add(task(now(), { owner: "eve" })));
      const refusal = await again.catch((error: unknown) => error);
      expect(refusal === undefined || ToolError.is(refusal)).toBe(true);
      expect((await store.get(task(0).id))?.owner).toBe(task(0).owner);
    });
  });
}
