import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { migrations } from "../src/database/migrations.ts";
import { postgresStore } from "../src/index.ts";

const url = inject("postgresUrl");
const schema = `index_${process.pid}`;

describe.skipIf(url === undefined)("a schema of the first version", () => {
  let admin: pg.Pool;
  beforeAll(async () => {
    admin = new pg.Pool({ connectionString: url ?? "", max: 4 });
    await admin.query(`CREATE SCHEMA ${schema}`);
    await admin.query(`CREATE TABLE ${schema}.meta (name text PRIMARY KEY, value text NOT NULL)`);
    await admin.query(migrations[0]?.(schema) ?? "");
    await admin.query(`INSERT INTO ${schema}.meta VALUES ('schema_version', '1')`);
  });
  afterAll(async () => {
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  });

  test("gets the index of artifacts, and keeps its artifacts, which count against the same quota", async () => {
    const artifact = {
      key: `art_${"a".repeat(32)}`,
      owner: "[null,null]",
      mediaType: "text/plain",
      size: 4,
      createdAt: 0,
      expiresAt: 9e12,
    };
    const other = { ...artifact, key: `art_${"b".repeat(32)}` };
    await admin.query(
      `SELECT ${schema}.begin_artifact($1, '', $2, 4, 300, 9e12, 1000, gen_random_uuid(), 1e9, 1e9)`,
      [artifact.key, JSON.stringify(artifact)],
    );
    const store = postgresStore({ pool: admin, schema, maxArtifactBytes: 500 });
    const quota = Promise.resolve(store.artifactIndex.reserve(other, "place", 1_000));
    await expect(quota).rejects.toMatchObject({ code: "limit_exceeded" });
    store.close();
    const larger = postgresStore({ pool: admin, schema });
    const token = await larger.artifactIndex.reserve(other, "place", 1_000);
    expect(await larger.artifactIndex.complete(other.key, token, "place")).toBe(true);
    expect(await larger.artifactIndex.get(other.key)).toEqual({ artifact: other, place: "place" });
    const { rows } = await admin.query(`SELECT key FROM ${schema}.artifacts`);
    expect(rows).toEqual([{ key: artifact.key }]);
    larger.close();
  });
});
