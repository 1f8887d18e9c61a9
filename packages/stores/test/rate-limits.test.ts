import type { RateRequest, RateReservation } from "@toolweave/core/stores";
import type { SqliteStore } from "../src/index.ts";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { failure } from "./support/failure.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { openStore } from "./support/open-store.ts";
import { startWorker } from "./support/start-worker.ts";
import { tempFolder } from "./support/temp-folder.ts";

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

async function reserved({ rateLimits }: SqliteStore, part: RateRequest): Promise<string> {
  const taken = await rateLimits.reserve([part]);
  if (!taken.granted) throw new Error("Not granted.");
  return taken.id;
}

describe("reserving", () => {
  test("a window never exceeds the limit, and a refusal has the time of the next room", async () => {
    const clock = new FakeClock();
    const store = openStore({ path: ":memory:", clock });
    expect(await use(store, request())).toMatchObject({ granted: true });
    clock.advance(400);
    expect(await use(store, request())).toMatchObject({ granted: true });
    clock.advance(100);
    expect(await use(store, request())).toEqual({
      granted: false,
      key: "tool:search",
      retryAfterMs: 500,
    });
    expect(await use(store, request({ amount: 2 }))).toMatchObject({ retryAfterMs: 900 });
    clock.advance(499);
    expect(await use(store, request())).toMatchObject({ retryAfterMs: 1 });
    clock.advance(1);
    expect(await use(store, request())).toMatchObject({ granted: true });
  });

  test("a request above the limit is never granted, nor any for a limit of 0", async () => {
    const store = openStore(":memory:");
    expect(await use(store, request({ amount: 3 }))).toEqual({
      granted: false,
      key: "tool:search",
      retryAfterMs: Infinity,
    });
    expect(await use(store, request({ limit: 0 }))).toMatchObject({ retryAfterMs: Infinity });
  });

  test("of several limits it reserves all or none, and names the one with the longest wait", async () => {
    const store = openStore({ path: ":memory:", clock: new FakeClock() });
    const short = request({ key: "short", limit: 1 });
    const long = request({ key: "long", limit: 1, windowMs: 5_000 });
    const free = request({ key: "free", limit: 1 });
    await use(store, short);
    await use(store, long);
    expect(await use(store, free, long, short)).toEqual({
      granted: false,
      key: "long",
      retryAfterMs: 5_000,
    });
    expect(await use(store, free)).toMatchObject({ granted: true });
  });

  test("three times 0.1 fits in 0.3, and no more", async () => {
    const store = openStore({ path: ":memory:", clock: new FakeClock() });
    const tenth = request({ amount: 0.1, limit: 0.3 });
    for (let call = 0; call < 3; call++) {
      expect(await use(store, tenth)).toMatchObject({ granted: true });
    }
    expect(await use(store, tenth)).toMatchObject({ granted: false });
  });

  test.each([
    ["a negative amount", { amount: -1 }],
    ["an amount that is not a number", { amount: Number.NaN }],
    ["a limit that is not a number", { limit: Number.NaN }],
    ["no window", { windowMs: 0 }],
    ["an infinite window", { windowMs: Infinity }],
  ])("%s is internal", async (_, part) => {
    const { rateLimits } = openStore(":memory:");
    expect((await failure(() => rateLimits.reserve([request(part)]))).code).toBe("internal");
  });

  test("one key twice in one reservation is internal", async () => {
    const { rateLimits } = openStore(":memory:");
    const error = await failure(() => rateLimits.reserve([request(), request()]));
    expect(error.code).toBe("internal");
  });
});

describe("committing and releasing", () => {
  test("a released reservation is free again, a committed or open one is not", async () => {
    const store = openStore({ path: ":memory:", clock: new FakeClock() });
    const one = request({ limit: 3 });
    const committed = await reserved(store, one);
    const released = await reserved(store, one);
    await reserved(store, one);
    await store.rateLimits.commit(committed);
    await store.rateLimits.release(committed);
    await store.rateLimits.release("unknown");
    await store.rateLimits.commit("unknown");
    expect(await use(store, one)).toMatchObject({ granted: false });
    await store.rateLimits.release(released);
    await store.rateLimits.release(released);
    expect(await use(store, one)).toMatchObject({ granted: true });
    expect(await use(store, one)).toMatchObject({ granted: false });
  });

  test("a window begins with the commit, however long the reservation was open", async () => {
    const clock = new FakeClock();
    const store = openStore({ path: ":memory:", clock });
    const one = request({ limit: 1 });
    const id = await reserved(store, one);
    clock.advance(100_000);
    expect(await use(store, one)).toMatchObject({ granted: false, retryAfterMs: 1_000 });
    await store.rateLimits.commit(id);
    clock.advance(999);
    expect(await use(store, one)).toMatchObject({ granted: false, retryAfterMs: 1 });
    clock.advance(1);
    expect(await use(store, one)).toMatchObject({ granted: true });
  });

  test("a use outlives the process that made it", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const gone = openStore({ path, clock });
    await use(gone, request({ amount: 2 }));
    gone.close();
    const store = openStore({ path, clock });
    expect(await use(store, request())).toMatchObject({ retryAfterMs: 1_000 });
  });

  test.each([
    ["its lease, if that is longer than the window", 1_000, 30_000],
    ["its window, if that is longer than the lease", 60_000, 60_000],
  ])("a reservation whose process has ended counts for %s", async (_, windowMs, lapsesAfter) => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const gone = openStore({ path, clock });
    const one = request({ limit: 1, windowMs });
    await reserved(gone, one);
    gone.close();
    const store = openStore({ path, clock });
    clock.advance(lapsesAfter - 1);
    expect(await use(store, one)).toMatchObject({ granted: false });
    clock.advance(1);
    expect(await use(store, one)).toMatchObject({ granted: true });
  });

  test("a commit after that is refused: others may have used its room", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const gone = openStore({ path, clock });
    for (let call = 0; call < 100; call++) await reserved(gone, request({ key: `${call}` }));
    gone.close();
    clock.advance(1);
    const held = openStore({ path, clock });
    const one = request({ limit: 1 });
    const id = await reserved(held, one);
    clock.skip(30_000);
    const store = openStore({ path, clock });
    // Removes the 100, and not yet the one.
    expect(await use(store, one)).toMatchObject({ granted: true });
    clock.advance(10);
    expect(await failure(() => held.rateLimits.commit(id))).toMatchObject({
      code: "store_unavailable",
      retryable: true,
    });
    expect(await use(store, one)).toMatchObject({ granted: false, retryAfterMs: 990 });
    expect(clock.timers).toBe(0);
  });

  test("open reservations are renewed by one timer, which ends with them and with the store", async () => {
    const clock = new FakeClock();
    const store = openStore({ path: ":memory:", clock });
    const ids = [await reserved(store, request()), await reserved(store, request())];
    expect(clock.timers).toBe(1);
    for (const id of ids) await store.rateLimits.commit(id);
    expect(clock.timers).toBe(0);
    await reserved(store, request({ key: "other" }));
    store.close();
    expect(clock.timers).toBe(0);
  });
});

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
