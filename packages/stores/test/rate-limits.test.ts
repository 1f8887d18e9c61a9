import type { RateRequest, RateReservation } from "@toolweave/core/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import type { SqliteStore } from "../src/index.ts";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeClock } from "@toolweave/conformance/stores";
import { openStore } from "./support/open-store.ts";
import { startWorker } from "./support/start-worker.ts";

function request(part: Partial<RateRequest> = {}): RateRequest {
  return { key: "tool:search", amount: 1, limit: 2, windowMs: 1_000, ...part };
}

/** Reserves and commits at once. */
async function use(
  { rateLimits }: SqliteStore,
  ...requests: readonly RateRequest[]
): Promise<RateReservation> {
  const taken = await rateLimits.reserve(requests);
  if (taken.granted) await rateLimits.commit(taken.id);
  return taken;
}

test("the table contains only reservations that still count", async () => {
  const path = join(tempFolder(), "store.db");
  const clock = new FakeClock();
  const store = openStore({ path, clock });
  const rows = new DatabaseSync(path, { readOnly: true }).prepare(
    "SELECT count(*) AS count FROM rate_reservations",
  );
  for (let call = 0; call < 500; call++) {
    await use(store, request({ key: `caller:${call}`, windowMs: 100 }));
    clock.advance(1);
  }
  expect(rows.get()!["count"]).toBe(100);
  clock.advance(1_000);
  await use(store, request());
  expect(rows.get()!["count"]).toBe(1);
});

describe("EX12: two workers share a rate of 10 in a second", () => {
  test("40 calls that wait for the returned times take exactly 3 seconds", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const start = clock.now();
    const granted: number[] = [];
    const take = async (store: SqliteStore): Promise<void> => {
      for (let left = 20; left > 0;) {
        const taken = await use(store, request({ limit: 10 }));
        if (taken.granted) {
          left--;
          granted.push(clock.now());
        } else await new Promise<void>((wake) => clock.setTimeout(wake, taken.retryAfterMs));
      }
    };
    const all = Promise.all([openStore({ path, clock }), openStore({ path, clock })].map(take));
    while (granted.length < 40) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(1);
    }
    await all;
    expect(granted.at(-1)! - start).toBe(3_000);
  });

  test("two processes never exceed it in any window", async () => {
    const path = join(tempFolder(), "store.db");
    openStore(path);
    // A log of every use, by the database itself and in the store's own time.
    const db = new DatabaseSync(path);
    db.exec(`CREATE TABLE log (at REAL);
      CREATE TRIGGER log AFTER UPDATE ON rate_reservations WHEN new.lease_until = 0
      BEGIN INSERT INTO log VALUES (new.counts_until - new.window_ms); END`);
    const workers = [startWorker("takeRate", path, "20"), startWorker("takeRate", path, "20")];
    for (const worker of workers) expect(await worker.next()).toBe("ready");
    for (const worker of workers) worker.tell("go");
    for (const worker of workers) expect(await worker.next()).toBe("done");
    const rows = db.prepare("SELECT at FROM log ORDER BY at").all();
    db.close();
    const times = rows.map((row) => Number(row["at"]));
    expect(times).toHaveLength(40);
    const gaps = times.slice(10).map((time, index) => time - times[index]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    const total = times.at(-1)! - times[0]!;
    // Measured: 3,012 to 3,027 ms. The bound leaves room for a busy machine.
    expect(total).toBeLessThan(6_000);
  });
});
