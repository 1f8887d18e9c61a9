import { testInterruption } from "@toolweave/conformance/test-records";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { postgresStore } from "../src/index.ts";
import { testDatabase, type TestDatabase } from "./support/test-database.ts";

const url = inject("postgresUrl");

describe.skipIf(url === undefined)("after a promotion that has lost the last claims", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(url ?? "", `promotion_${process.pid}`);
  });
  afterAll(() => database.end());

  async function start() {
    const clock = await database.reset();
    const { pool, schema, admin } = database;
    await admin.query(
      `UPDATE ${schema}.meta SET value = left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || ' 0 0'
       WHERE name = 'promotion'`,
    );
    const [one, other] = [0, 1].map(() => postgresStore({ pool, schema, timers: clock }));
    onTestFinished(() => {
      one?.close();
      other?.close();
    });
    /** The server has another timeline, and what the statement has undone. */
    const promote = async (loss: string): Promise<void> => {
      await admin.query(loss);
      await admin.query(
        `UPDATE ${schema}.meta SET value = '000000FF 0 0' WHERE name = 'promotion'`,
      );
    };
    return { clock, one: one!, other: other!, promote, schema };
  }

  test("earlier approvals are refused for a lease, and the process that has claimed one keeps it", async () => {
    const { clock, one, other, promote, schema } = await start();
    const [claimed, waiting, later] = ["a", "b", "c"].map((id) => testInterruption(id));
    await one.pendingCalls.add(claimed!);
    await one.pendingCalls.add(waiting!);
    expect(await one.pendingCalls.claim(claimed!)).toBe("claimed");
    await promote(`UPDATE ${schema}.pending_calls SET status = 'pending', claim_token = NULL`);
    for (const call of [claimed, waiting]) {
      await expect(other.pendingCalls.claim(call!)).rejects.toMatchObject({
        code: "store_unavailable",
        retryable: true,
      });
    }
    await other.pendingCalls.add(later!);
    expect(await other.pendingCalls.claim(later!)).toBe("claimed");
    await clock.advance(30_000);
    expect(await other.pendingCalls.claim(claimed!)).toBe("running");
    expect(await other.pendingCalls.claim(waiting!)).toBe("claimed");
  });

  test("durable calls are refused for a lease, and the process that runs one keeps it and its outcome", async () => {
    const { clock, one, other, promote, schema } = await start();
    await one.ledger.begin(ledgerCall("a", "1"));
    await one.ledger.begin(ledgerCall("b", "2"));
    await promote(`DELETE FROM ${schema}.ledger`);
    await expect(other.ledger.begin(ledgerCall("a", "3"))).rejects.toMatchObject({
      code: "store_unavailable",
      retryable: true,
    });
    // One ends before its claim is renewed, and one after.
    const paid = { status: "ended", outcome: "paid" } as const;
    expect(await one.ledger.end(ledgerCall("b", "2"), paid)).toBe(true);
    await clock.advance(30_000);
    expect(await other.ledger.begin(ledgerCall("a", "3"))).toEqual({ status: "running" });
    expect(await other.ledger.begin(ledgerCall("b", "3"))).toEqual(paid);
    expect(await one.ledger.end(ledgerCall("a", "1"), paid)).toBe(true);
    expect(await other.ledger.begin(ledgerCall("a", "3"))).toEqual(paid);
    expect(await other.ledger.begin(ledgerCall("c", "3"))).toEqual({ status: "begun" });
  });
});

function ledgerCall(callId: string, token: string) {
  const ids = { runId: "run", callId, token };
  return { ...ids, tool: "pay", specHash: "", argumentsHash: "" };
}
