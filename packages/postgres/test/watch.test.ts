import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import type { TaskRecord } from "@toolweave/core/stores";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { postgresStore, type PostgresStore, type PostgresStoreOptions } from "../src/index.ts";
import { testKey } from "./support/describe-postgres.ts";
import { ManualTimers } from "./support/manual-timers.ts";

const url = inject("postgresUrl");
const poolerUrl = inject("pgbouncerUrl");
const schema = `watch_${process.pid}`;
const ended = { status: "completed", updatedAt: 2, expiresAt: 9e12 } as const;

let ids = 0;
function task(): TaskRecord {
  const id = `task_${++ids}`;
  const names = { id, owner: "[null,null]", runId: "r", callId: "c", tool: "t" };
  return { ...names, status: "working", createdAt: 1, updatedAt: 1, expiresAt: 9e12 };
}

describe.skipIf(url === undefined)("changes of tasks", () => {
  let admin: pg.Pool;
  beforeAll(() => {
    admin = new pg.Pool({ connectionString: url ?? "", max: 2 });
  });
  afterAll(async () => {
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });

  function open(options: PostgresStoreOptions = {}): PostgresStore {
    const target = options.pool === undefined ? { connectionString: url ?? "" } : {};
    const store = postgresStore({ ...target, schema, key: testKey, ...options });
    onTestFinished(() => store.close());
    return store;
  }

  /** A store whose timers never expire, so that it does not poll; and it listens. */
  async function listening(options: PostgresStoreOptions = {}) {
    const timers = new ManualTimers();
    const store = open({ timers, ...options });
    // It connects, and has heard itself.
    expect(await store.problems()).toHaveLength(3);
    return { store, timers };
  }

  /** Begins to wait for a change of a task, as an executor does: it reads the task next. */
  async function startWatch({ tasks }: PostgresStore, id: string) {
    const wait = { isOver: false, end: Promise.resolve() };
    const change = tasks.watch?.(id, new AbortController().signal) ?? Promise.reject(new Error());
    wait.end = change.then(() => void (wait.isOver = true));
    await tasks.get(id);
    return wait;
  }

  async function turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  test("a process that listens is notified of an end and of a request to cancel, and does not poll", async () => {
    const { store } = await listening();
    const other = open();
    const one = task();
    const { id } = one;
    await other.tasks.add(one);
    const asked = await startWatch(store, id);
    await other.tasks.requestCancel?.(id, "ada");
    await asked.end;
    const end = await startWatch(store, id);
    await other.tasks.change(id, ended);
    await end.end;
    expect(await store.tasks.get(id)).toMatchObject({ status: "completed" });
  });

  test("executors await and cancel tasks of other processes", async () => {
    const running: ((value: string) => void)[] = [];
    const work = defineTool({
      name: "work",
      description: "Works.",
      input: { type: "object" },
      execution: "task",
      execute: () => new Promise<string>((resolve) => void running.push(resolve)),
    });
    const start = () =>
      new ToolExecutor({ registry: new ToolRegistry([work]), tasks: open().tasks });
    const [first, second] = [start(), start()];
    const call = { name: "work", arguments: {} };
    const one = (await first.execute({ id: "1", ...call })).result?.taskId as string;
    const result = second.tasks.result(one);
    while (running.length === 0) await turn();
    running[0]?.("done");
    expect((await result)?.status).toBe("completed");
    const two = (await first.execute({ id: "2", ...call })).result?.taskId as string;
    expect(await second.tasks.cancel(two)).toMatchObject({ status: "cancelled" });
    expect(await first.tasks.status(two)).toMatchObject({ status: "cancelled" });
  });

  test("a change while the connection is lost is found, and notifications arrive over the next one", async () => {
    const { store, timers } = await listening();
    const other = open();
    const [one, two] = [task(), task()];
    await other.tasks.add(one);
    await other.tasks.add(two);
    const lost = await startWatch(store, one.id);
    const listeners = `FROM pg_stat_activity WHERE query = 'LISTEN "toolweave:${schema}"'`;
    await admin.query(`SELECT pg_terminate_backend(pid) ${listeners}`);
    while ((await admin.query(`SELECT ${listeners}`)).rows.length > 0) await turn();
    while ((await store.problems()).length === 3) await turn();
    await other.tasks.change(one.id, ended);
    // The pause before the next connection, and that before the next read.
    timers.expire();
    await lost.end;
    while ((await store.problems()).length > 3) await turn();
    const notified = await startWatch(store, two.id);
    await other.tasks.change(two.id, ended);
    await notified.end;
    expect(notified.isOver).toBe(true);
  });

  test("a process that does not listen reads all that it waits for in one statement", async () => {
    const timers = new ManualTimers();
    const statements: string[] = [];
    let connections = 0;
    const pool = new pg.Pool({ connectionString: url ?? "", max: 2 });
    onTestFinished(() => pool.end());
    const store = open({
      timers,
      pool: {
        async connect() {
          connections++;
          const client = await pool.connect();
          return {
            query(text, values) {
              // The settings of a connection are read once for each, and here each is a new object.
              if (!text.includes("current_setting")) statements.push(text);
              return client.query(text, values);
            },
            release: (error) => {
              connections--;
              client.release(error);
            },
          };
        },
      },
    });
    await store.migrate();
    const other = open();
    const tasks = Array.from({ length: 50 }, () => task());
    for (const one of tasks) await other.tasks.add(one);
    const waits = await Promise.all(tasks.map(({ id }) => startWatch(store, id)));
    // Until the rows of all waits are read for the first time.
    do await turn();
    while (connections > 0);
    await other.tasks.change(tasks[7]!.id, ended);
    await turn();
    expect(waits.filter(({ isOver }) => isOver)).toEqual([]);
    statements.length = 0;
    timers.expire();
    await waits[7]!.end;
    expect(statements).toHaveLength(1);
    expect(waits.filter(({ isOver }) => isOver)).toHaveLength(1);
  });

  test.skipIf(poolerUrl === undefined)(
    "behind a pooler in transaction mode it is noticed that no notification arrives, and changes are found",
    async () => {
      const store = open({ connectionString: poolerUrl ?? "" });
      expect((await store.problems()).join()).toMatch(/Notifications do not arrive.*as listen/);
      const direct = open({ connectionString: poolerUrl ?? "", listen: url ?? "" });
      expect((await direct.problems()).join()).not.toMatch(/otifications/);
      const one = task();
      await direct.tasks.add(one);
      const waits = await Promise.all([startWatch(store, one.id), startWatch(direct, one.id)]);
      await store.tasks.change(one.id, ended);
      await Promise.all(waits.map(({ end }) => end));
    },
  );
});
