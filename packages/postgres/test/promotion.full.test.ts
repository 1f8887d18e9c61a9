import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { testInterruption } from "@toolweave/conformance/test-records";
import {
  postgresPrograms,
  startPostgres,
  unsafePostgres,
} from "@toolweave/test-support/postgres-server";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { postgresStore } from "../src/index.ts";

test.skipIf(postgresPrograms() === undefined)(
  "a promoted server refuses claims of earlier approvals for a lease, and reports the promotion",
  async () => {
    const server = await startPostgres(unsafePostgres);
    const store = postgresStore({ connectionString: server.url, listen: false, leaseMs: 3_000 });
    onTestFinished(async () => {
      store.close();
      await server.stop();
    });
    const { pendingCalls } = store;
    await pendingCalls.add(testInterruption("a"));
    await pendingCalls.add(testInterruption("b"));
    expect(await pendingCalls.claim(testInterruption("a"))).toBe("claimed");
    const before = await store.problems();

    // The server starts as a standby of nothing, and is promoted.
    const signal = join(server.data, "standby.signal");
    writeFileSync(signal, "");
    const { uid, gid } = server.account;
    if (uid !== undefined) chownSync(signal, uid, gid ?? uid);
    const restarted = server.restart("SIGINT");
    await promote(server.url);
    await restarted;

    await expect(pendingCalls.claim(testInterruption("b"))).rejects.toMatchObject({
      code: "store_unavailable",
      retryable: true,
    });
    await pendingCalls.add(testInterruption("c"));
    expect(await pendingCalls.claim(testInterruption("c"))).toBe("claimed");
    expect(await store.problems()).toHaveLength(before.length + 1);
    let claimed: unknown = "refused";
    while (claimed === "refused") {
      await delay(100);
      const claim = Promise.resolve(pendingCalls.claim(testInterruption("b")));
      claimed = await claim.catch(() => "refused");
    }
    expect(claimed).toBe("claimed");
    expect((await pendingCalls.get("a"))?.status).toBe("claimed");
  },
);

/** As soon as the standby accepts connections. */
async function promote(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query("SELECT pg_is_in_recovery() AS replica");
      if (rows[0]?.replica === true) {
        await client.query("SELECT pg_promote()");
        return;
      }
    } catch {
      // It does not accept connections yet.
    } finally {
      await client.end().catch(() => {});
    }
    await delay(100);
  }
  throw new Error("The standby has not started.");
}
