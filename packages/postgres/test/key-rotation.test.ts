import type { TaskRecord } from "@toolweave/core/stores";
import { ToolError } from "@toolweave/core";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import {
  postgresStore,
  type PostgresStore,
  type ResealProgress,
  type StoreKey,
} from "../src/index.ts";

const url = inject("postgresUrl");
const oldKey = "the old key of the tests, 32 bytes or more";
const newKey = "the new key of the tests, 32 bytes or more";
const foreignKey = "another key of the tests, 32 bytes or more";
const credentialKey = { source: "museum", scheme: "token" };
const secret = { type: "secret", secret: "open, sesame" } as const;
/** More rows than one batch. */
const tasks = 120;

function task(id: string): TaskRecord {
  return {
    id,
    owner: '["session","ada"]',
    runId: "run",
    callId: "call",
    tool: "build",
    status: "working",
    createdAt: 1,
    updatedAt: 1,
    expiresAt: 9_000_000_000_000,
  };
}

describe.skipIf(url === undefined)("the rotation of a key", () => {
  const schema = `rotation_${process.pid}`;
  let admin: pg.Pool;
  beforeAll(() => {
    admin = new pg.Pool({ connectionString: url, max: 1 });
  });
  afterAll(async () => {
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });

  /** A process of its own. */
  function start(...key: StoreKey[]): PostgresStore {
    const keys = key.length > 0 ? { key } : {};
    const store = postgresStore({ connectionString: url ?? "", schema, ...keys, listen: false });
    onTestFinished(() => store.close());
    return store;
  }

  async function fill(store: PostgresStore): Promise<void> {
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await store.credentials.set(credentialKey, secret);
    for (let number = 0; number < tasks; number++) {
      await store.tasks.add(task(`task_${number}`));
      const end = { updatedAt: 2, expiresAt: 9_000_000_000_000 };
      await store.tasks.change(`task_${number}`, { status: "cancelled", ...end });
    }
    await store.ledger.begin(call("1", "a"));
    await store.ledger.end(call("1", "a"), { status: "ended", outcome: "paid" });
    // A call without an outcome.
    await store.ledger.begin(call("2", "b"));
  }

  function call(callId: string, token: string) {
    return { runId: 'run "7"', callId, token, tool: "pay", specHash: "s", argumentsHash: "a" };
  }

  async function expectReadable(store: PostgresStore): Promise<void> {
    expect(await store.credentials.get(credentialKey)).toEqual(secret);
    expect(await store.tasks.list('["session","ada"]')).toHaveLength(tasks);
    expect(await store.tasks.get("task_7")).toMatchObject({ status: "cancelled" });
    expect(await store.ledger.begin(call("1", "c"))).toEqual({ status: "ended", outcome: "paid" });
  }

  test("happens without downtime: old, then both, then the new key alone", async () => {
    const first = start(oldKey);
    await fill(first);
    // Step 1: all processes can open both, and still seal with the old key.
    const [one, two] = [start(oldKey, newKey), start(oldKey, newKey)];
    await expectReadable(one);
    // Step 2: one process after the other seals with the new key; each reads what the other writes.
    const next = start(newKey, oldKey);
    await next.credentials.set({ ...credentialKey, caller: "ada" }, secret);
    expect(await two.credentials.get({ ...credentialKey, caller: "ada" })).toEqual(secret);
    await two.credentials.set({ ...credentialKey, caller: "bob" }, secret);
    expect(await next.credentials.get({ ...credentialKey, caller: "bob" })).toEqual(secret);
    // Step 3: all seal with the new key.
    expect(await next.reseal()).toEqual({ resealed: 2 * tasks + 3, unreadable: 0 });
    expect(await next.reseal()).toEqual({ resealed: 0, unreadable: 0 });
    await expectReadable(next);
    // Step 4: the old key is removed.
    const last = start(newKey);
    await expectReadable(last);
    await expect(first.credentials.get(credentialKey)).rejects.toThrow(
      "a key that this store does not have",
    );
  });

  test("leaves a value that changes meanwhile as it has become", async () => {
    const store = start(oldKey);
    await fill(store);
    const next = start(newKey, oldKey);
    const connect = admin.connect.bind(admin);
    const changed = { type: "secret", secret: "changed" } as const;
    // Between the read of a batch and its write, another process sets the credential.
    const pool = {
      async connect() {
        const client = await connect();
        return {
          async query(text: string, values?: unknown[]) {
            if (/^UPDATE .*credentials/.test(text)) {
              client.release();
              await next.credentials.set(credentialKey, changed);
              return admin.query(text, values);
            }
            return client.query(text, values);
          },
          release: (error?: Error) => {
            try {
              client.release(error);
            } catch {
              // It was released before the update.
            }
          },
        };
      },
    };
    const resealing = postgresStore({ pool, schema, key: [newKey, oldKey] });
    onTestFinished(() => resealing.close());
    await resealing.reseal();
    expect(await start(newKey).credentials.get(credentialKey)).toEqual(changed);
  });

  test("by two processes at once ends with all values sealed by the new key", async () => {
    await fill(start(oldKey));
    await Promise.all([start(newKey, oldKey).reseal(), start(newKey, oldKey).reseal()]);
    expect(await start(newKey, oldKey).reseal()).toEqual({ resealed: 0, unreadable: 0 });
    await expectReadable(start(newKey));
  });

  test("reports its progress after each batch, and ends with an error of the host", async () => {
    await fill(start(oldKey));
    const next = start(newKey, oldKey);
    const seen: ResealProgress[] = [];
    const stopped = new Error("stopped");
    const onProgress = (progress: ResealProgress): void => {
      seen.push(progress);
      if (progress.resealed > 50) throw stopped;
    };
    await expect(next.reseal({ onProgress })).rejects.toBe(stopped);
    expect(seen).toEqual([
      { examined: 1, resealed: 1, unreadable: 0 },
      { examined: 101, resealed: 101, unreadable: 0 },
    ]);
    expect(await next.reseal()).toEqual({ resealed: 2 * tasks + 2 - 101, unreadable: 0 });
  });

  test("seals values that were stored without a key", async () => {
    const plain = start();
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await plain.tasks.add(task("task_1"));
    expect(await start(newKey).reseal()).toEqual({ resealed: 1, unreadable: 0 });
    await expect(plain.tasks.get("task_1")).rejects.toThrow("a key that this store does not have");
    expect(await start(newKey).tasks.get("task_1")).toMatchObject({ id: "task_1" });
  });

  test("reports values that no key opens, and leaves them", async () => {
    await fill(start(oldKey));
    const result = { resealed: 0, unreadable: 2 * tasks + 2 };
    expect(await start(newKey, foreignKey).reseal()).toEqual(result);
    await expectReadable(start(oldKey));
  });

  test("needs a key", async () => {
    const error: unknown = await start()
      .reseal()
      .catch((thrown: unknown) => thrown);
    expect(ToolError.is(error) && error.code).toBe("invalid_configuration");
  });
});
