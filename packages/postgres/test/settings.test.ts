import { randomUUID } from "node:crypto";
import { ToolError } from "@toolweave/core";
import pg from "pg";
import { afterAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { postgresStore, type PostgresStore } from "../src/index.ts";
import { testKey } from "./support/describe-postgres.ts";

const url = inject("postgresUrl");

/** Settings of a database, of a role or of a host's pool. */
const settings: readonly (readonly [name: string, options: string])[] = [
  ["read committed", ""],
  ["repeatable read", "-c default_transaction_isolation=repeatable\\ read"],
  ["serializable", "-c default_transaction_isolation=serializable"],
  [
    "serializable and deferrable",
    "-c default_transaction_isolation=serializable -c default_transaction_deferrable=on",
  ],
  ["short waits for locks, and few digits", "-c lock_timeout=5 -c extra_float_digits=-15"],
];

const simultaneous = 120;

describe.skipIf(url === undefined)("limits hold whatever the database's defaults are", () => {
  const schema = `settings_${process.pid}`;
  afterAll(async () => {
    const admin = new pg.Client({ connectionString: url ?? "" });
    await admin.connect();
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });

  /** Four stores, as of four processes, with pools of the host whose connections have these settings. */
  function openAll(options: string): readonly PostgresStore[] {
    return Array.from({ length: 4 }, () => {
      const pool = new pg.Pool({ connectionString: url ?? "", options, max: 8 });
      const limits = { maxTasksPerOwner: 10, maxPendingCallsPerOwner: 10 };
      const store = postgresStore({ pool, schema, key: testKey, ...limits });
      onTestFinished(async () => {
        await store.close();
        await pool.end();
      });
      return store;
    });
  }

  /** The results of an operation of which the stores do many at the same time; `full`: a quota refuses it. */
  async function all<T>(
    stores: readonly PostgresStore[],
    work: (store: PostgresStore, index: number) => PromiseLike<T> | T,
  ): Promise<readonly (T | "full")[]> {
    return Promise.all(
      Array.from({ length: simultaneous }, async (_, index) => {
        try {
          return await work(stores[index % stores.length] as PostgresStore, index);
        } catch (error) {
          if (ToolError.is(error) && error.code === "limit_exceeded") return "full";
          throw error;
        }
      }),
    );
  }

  const count = (results: readonly unknown[], isMeant: (one: unknown) => boolean): number =>
    results.filter(isMeant).length;

  describe.each(settings)("%s", (_, options) => {
    test("a rate is never exceeded", async () => {
      const part = { key: randomUUID(), amount: 1, limit: 5, windowMs: 3_600_000 };
      const results = await all(openAll(options), ({ rateLimits }) => rateLimits.reserve([part]));
      expect(results.filter((one) => one !== "full" && one.granted)).toHaveLength(5);
    });

    test("an owner has no more tasks and approvals than its quota", async () => {
      const stores = openAll(options);
      const owner = JSON.stringify(["session", randomUUID(), "ada"]);
      const expiresAt = Date.now() + 600_000;
      const times = { createdAt: 1, updatedAt: 1, expiresAt };
      const tasks = await all(stores, (store) =>
        store.tasks.add({
          ...{ id: randomUUID(), owner, runId: "run", callId: "call", tool: "build" },
          ...{ status: "working", ...times },
        }),
      );
      expect(count(tasks, (one) => one !== "full")).toBe(10);
      const pending = await all(stores, (store) => {
        const id = randomUUID();
        const call = { id: "call", name: "pay", arguments: {} };
        const interruption = { id, runId: "run", call, specHash: "", requests: [], expiresAt };
        return store.pendingCalls.add({ ...interruption, state: id }, owner);
      });
      expect(count(pending, (one) => one !== "full")).toBe(10);
    });

    test("an approval is claimed once, and every call begins", async () => {
      const stores = openAll(options);
      const id = randomUUID();
      const call = { id: "call", name: "pay", arguments: {} };
      const expiresAt = Date.now() + 600_000;
      const approval = { id, runId: "run", call, specHash: "", requests: [], expiresAt, state: id };
      await stores[0]?.pendingCalls.add(approval);
      const claims = await all(stores, ({ pendingCalls }) => pendingCalls.claim(approval));
      expect(count(claims, (one) => one === "claimed")).toBe(1);
      const begun = await all(stores, ({ ledger }, index) =>
        ledger.begin({
          ...{ runId: id, callId: `${index}`, token: `${index}`, epoch: 1 },
          ...{ tool: "pay", specHash: "", argumentsHash: "a" },
        }),
      );
      expect(count(begun, (one) => (one as { status?: string }).status === "begun")).toBe(
        simultaneous,
      );
    });

    test("times come back with all digits", async () => {
      const [store] = openAll(options) as [PostgresStore];
      const owner = JSON.stringify(["session", randomUUID(), "ada"]);
      const before = Date.now();
      await store.memory.set(owner, { key: "a", content: "one", category: "core" });
      const [found] = await store.memory.find(owner, { limit: 1 });
      expect(Math.abs((found?.storedAt ?? 0) - before)).toBeLessThan(600_000);
    });
  });
});
