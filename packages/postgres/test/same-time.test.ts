import { randomUUID } from "node:crypto";
import { ToolError } from "@toolweave/core";
import pg from "pg";
import { afterAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { postgresStore, type PostgresStore, type PostgresStoreOptions } from "../src/index.ts";
import { testKey } from "./support/describe-postgres.ts";

const url = inject("postgresUrl");

function sum(counts: readonly (readonly number[])[]): number {
  return counts.flat().reduce((total, count) => total + count, 0);
}

describe.skipIf(url === undefined)("operations at the same time in PostgreSQL", () => {
  const schema = `same_time_${process.pid}`;
  afterAll(async () => {
    const admin = new pg.Client({ connectionString: url ?? "" });
    await admin.connect();
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });

  function open(options: PostgresStoreOptions = {}): PostgresStore {
    const store = postgresStore({ connectionString: url ?? "", schema, ...options });
    onTestFinished(() => store.close());
    return store;
  }

  test("processes that do the same operations at the same time, in any order, do each once", async () => {
    const stores = [open({ key: testKey }), open({ key: testKey })] as const;
    const ids = Array.from({ length: 100 }, () => randomUUID());
    const orders = [ids, ids.toReversed()] as const;
    const all = <T>(work: (store: PostgresStore, id: string, by: number) => PromiseLike<T> | T) =>
      Promise.all(
        stores.map((store, by) => Promise.all(orders[by]!.map((id) => work(store, id, by)))),
      );
    const call = (id: string, by: number) => ({
      ...{ runId: `run ${id.slice(0, 1)}`, callId: id, token: `${by}`, epoch: 1 },
      ...{ tool: "pay", specHash: "", argumentsHash: "a" },
    });
    const begun = await all(async ({ ledger }, id, by) => {
      if ((await ledger.begin(call(id, by))).status !== "begun") return 0;
      await ledger.end(call(id, by), { status: "ended", outcome: `outcome of ${id}` });
      return 1;
    });
    expect(sum(begun)).toBe(ids.length);
    const replayed = await all(({ ledger }, id) => ledger.begin(call(id, 2)));
    expect(replayed).toEqual(
      orders.map((order) => order.map((id) => ({ status: "ended", outcome: `outcome of ${id}` }))),
    );
    const approval = (id: string) => ({
      ...{ id, runId: "run", call: { id, name: "pay", arguments: {} }, specHash: "" },
      ...{ requests: [], expiresAt: Date.now() + 60_000, state: id },
    });
    await all(({ pendingCalls }, id) => pendingCalls.add(approval(id)));
    const claimed = await all(async ({ pendingCalls }, id) =>
      (await pendingCalls.claim(approval(id))) === "claimed" ? 1 : 0,
    );
    expect(sum(claimed)).toBe(ids.length);
    const task = (id: string) => ({
      ...{ id, owner: `["session","${id}"]`, runId: "run", callId: id, tool: "build" },
      ...{ status: "working" as const, createdAt: 1, updatedAt: 1, expiresAt: 9e12 },
    });
    const added = await all(async ({ tasks }, id) => {
      try {
        await tasks.add(task(id));
        return 1;
      } catch {
        return 0;
      }
    });
    expect(sum(added)).toBe(ids.length);
    const end = { status: "completed", updatedAt: 2, expiresAt: 9e12 } as const;
    const ended = await all(async ({ tasks }, id) => ((await tasks.change(id, end)) ? 1 : 0));
    expect(sum(ended)).toBe(ids.length);
    const read = await all(({ tasks }, id) => tasks.get(id));
    expect(read.flat().map((one) => [one?.id, one?.status])).toEqual(
      orders.flat().map((id) => [id, "completed"]),
    );
  });

  test("owners that are near their maximum do not exceed it with operations at the same time", async () => {
    const limits = { maxTasksPerOwner: 130, maxPendingCallsPerOwner: 130 };
    const stores = [open(limits), open(limits)];
    const owners = ["ada", "bob"].map((name) => JSON.stringify(["session", randomUUID(), name]));
    const attempts = stores.flatMap((store) =>
      owners.flatMap((owner) => Array.from({ length: 90 }, () => ({ store, owner }))),
    );
    const count = async (add: (one: (typeof attempts)[number]) => PromiseLike<void> | void) => {
      const results = await Promise.allSettled(attempts.map(add));
      const isFull = ({ reason }: PromiseRejectedResult) =>
        ToolError.is(reason) && reason.code === "limit_exceeded";
      expect(results.every((result) => result.status === "fulfilled" || isFull(result))).toBe(true);
      return owners.map(
        (owner) =>
          results.filter(({ status }, n) => status === "fulfilled" && attempts[n]?.owner === owner)
            .length,
      );
    };
    const expiresAt = Date.now() + 60_000;
    const ids = { runId: "run", callId: "call", tool: "build" };
    const times = { createdAt: 1, updatedAt: 1, expiresAt };
    const tasks = await count(({ store, owner }) =>
      store.tasks.add({ id: randomUUID(), owner, ...ids, status: "working", ...times }),
    );
    expect(tasks).toEqual([130, 130]);
    const call = { id: "call", name: "pay", arguments: {} };
    const pending = await count(({ store, owner }) => {
      const id = randomUUID();
      const interruption = {
        id,
        runId: "run",
        call,
        specHash: "",
        requests: [],
        expiresAt,
        state: id,
      };
      return store.pendingCalls.add(interruption, owner);
    });
    expect(pending).toEqual([130, 130]);
  });
});
