import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { postgresStore } from "../src/index.ts";
import { testDatabase, type TestClock, type TestDatabase } from "./support/test-database.ts";

const url = inject("postgresUrl");

describe.skipIf(url === undefined)("replicas", () => {
  let database: TestDatabase;
  let clock: TestClock;
  beforeAll(async () => {
    database = await testDatabase(url ?? "", `replicas_${process.pid}`);
  });
  afterAll(() => database.end());

  /** Each the replicas of a process, on an empty table, with a lease of 300 ms. */
  async function start(count: number) {
    clock = await database.reset();
    const { pool, schema } = database;
    const stores = Array.from({ length: count }, () =>
      postgresStore({ pool, schema, timers: clock, leaseMs: 300 }),
    );
    onTestFinished(() => stores.forEach((store) => store.close()));
    return stores;
  }

  test("a process is alive until its lease expires, and is still listed then", async () => {
    const [one, two] = await start(2);
    await one!.replicas.join("b");
    await two!.replicas.join('a \u0000"\u{1f511}');
    expect(await two!.replicas.alive()).toEqual(['a \u0000"\u{1f511}', "b"]);
    for (let turn = 0; turn < 10; turn++) await clock.advance(97);
    expect(await two!.replicas.alive()).toHaveLength(2);
    one!.close();
    const [, crashed] = await two!.replicas.list();
    await clock.advance(300);
    expect(await two!.replicas.alive()).toEqual(['a \u0000"\u{1f511}']);
    expect(await two!.replicas.list()).toEqual([
      expect.objectContaining({ isAlive: true }),
      { id: "b", leaseUntil: crashed!.leaseUntil, isAlive: false },
    ]);
  });

  test("a process that leaves is not listed at once, and can join again", async () => {
    const { replicas } = (await start(1))[0]!;
    await replicas.join("a");
    await replicas.leave("a");
    expect(await replicas.list()).toEqual([]);
    expect(clock.timers).toBe(0);
    await replicas.join("a");
    expect(await replicas.alive()).toEqual(["a"]);
  });

  test("a process that joins with the id of another one replaces it", async () => {
    const [one, two] = await start(2);
    await one!.replicas.join("a");
    await two!.replicas.join("a");
    await one!.replicas.leave("a");
    expect(await one!.replicas.alive()).toEqual(["a"]);
    await one!.replicas.join("a");
    two!.close();
    await clock.advance(1_000);
    expect(await one!.replicas.alive()).toEqual(["a"]);
    one!.close();
  });

  test("a process that was paused is alive again when it continues, also after its row was removed", async () => {
    const [one, two] = await start(2);
    await one!.replicas.join("a");
    await clock.skip(8 * 24 * 60 * 60 * 1000);
    expect(await two!.replicas.alive()).toEqual([]);
    await two!.prune();
    expect(await two!.replicas.list()).toEqual([]);
    await clock.advance(100);
    expect(await two!.replicas.alive()).toEqual(["a"]);
  });
});
