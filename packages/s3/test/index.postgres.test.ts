import { postgresStore } from "@toolweave/postgres";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { testDatabase, type TestDatabase } from "../../postgres/test/support/test-database.ts";
import { describeIndex } from "./support/describe-index.ts";
import { testArtifact } from "./support/test-artifact.ts";

const url = inject("postgresUrl");

describe.skipIf(url === undefined)("the index in PostgreSQL", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(url ?? "", `s3_index_${process.pid}`);
  });
  afterAll(() => database.end());

  async function open(maxArtifactBytes: number) {
    const clock = await database.reset();
    const { pool, schema } = database;
    const store = postgresStore({
      pool,
      schema,
      timers: clock,
      maxArtifactBytes,
      maxArtifactBytesPerOwner: maxArtifactBytes,
    });
    onTestFinished(() => store.close());
    return { clock, store };
  }

  describeIndex(async () => {
    const { clock, store } = await open(10_000);
    const { artifacts, artifactIndex: index } = store;
    return { artifacts, index, advance: (ms) => clock.skip(ms) };
  });

  test("two processes that take what has expired get different rows", async () => {
    const { store, clock } = await open(1_000_000);
    for (let number = 0; number < 40; number++) {
      await store.artifactIndex.reserve(testArtifact(number, 10).artifact, `${number}`, 1_000);
    }
    await clock.skip(1_000);
    const takes = Array.from({ length: 8 }, () => store.artifactIndex.takeExpired(10, 1_000_000));
    const keys = (await Promise.all(takes)).flat().map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    keys.push(...(await store.artifactIndex.takeExpired(100, 1_000)).map(({ key }) => key));
    expect(new Set(keys).size).toBe(40);
    expect(keys).toHaveLength(40);
  });
});
