import pg from "pg";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  onTestFinished,
  test,
} from "vitest";
import { migrations } from "../src/database/migrations.ts";
import { postgresStore, type PostgresStore } from "../src/index.ts";

const url = inject("postgresUrl");

describe.skipIf(url === undefined)("the inspection of a database", () => {
  const schema = `inspection_${process.pid}`;
  const role = `inspector_${process.pid}`;
  let admin: pg.Pool;
  beforeAll(async () => {
    admin = new pg.Pool({ connectionString: url, max: 1 });
    await admin.query(`CREATE ROLE ${role} LOGIN`);
  });
  beforeEach(async () => {
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  });
  afterAll(async () => {
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.query(`DROP OWNED BY ${role}`);
    await admin.query(`DROP ROLE ${role}`);
    await admin.end();
  });

  function open(user?: string): PostgresStore {
    const address = new URL(url ?? "");
    if (user !== undefined) address.username = user;
    const store = postgresStore({ connectionString: address.href, schema, listen: false });
    onTestFinished(() => store.close());
    return store;
  }

  async function createVersion1(): Promise<void> {
    await admin.query(`CREATE SCHEMA ${schema}`);
    await admin.query(`CREATE TABLE ${schema}.meta (name text PRIMARY KEY, value text NOT NULL)`);
    await admin.query(migrations[0]?.(schema) ?? "");
    await admin.query(`INSERT INTO ${schema}.meta VALUES ('schema_version', '1')`);
  }

  test("finds no tables, and creates none", async () => {
    const { rows } = await admin.query<{ readonly version: string }>("SHOW server_version");
    const { latencyMs, ...found } = await open().inspect();
    expect(latencyMs).toBeGreaterThan(0);
    expect(found).toEqual({
      server: Object.values(rows[0] ?? {})[0]?.split(" ")[0],
      isReadReplica: false,
      schema,
      tablesVersion: 0,
      knownTablesVersion: migrations.length,
      canMigrate: true,
      tables: [],
    });
    const after = await admin.query("SELECT to_regnamespace($1) AS name", [schema]);
    expect(after.rows).toEqual([{ name: null }]);
  });

  test("finds tables of version 1, and leaves them until they are migrated", async () => {
    await createVersion1();
    const store = open();
    expect(await store.inspect()).toMatchObject({ tablesVersion: 1, canMigrate: true });
    const { tables } = await store.inspect();
    expect(tables.map(({ name }) => name)).not.toContain("ledger");
    await store.migrate();
    const after = await store.inspect();
    expect(after.tablesVersion).toBe(after.knownTablesVersion);
    expect(after.tables.map(({ name }) => name)).toContain("ledger");
  });

  test("counts rows, and estimates them if there are many", async () => {
    const store = open();
    await store.migrate();
    await admin.query(
      `INSERT INTO ${schema}.grants (id, tool, grant_json) SELECT g::text, 'pay', '{}' FROM generate_series(1, 1234) g`,
    );
    await admin.query(
      `INSERT INTO ${schema}.artifact_usage SELECT g::text, 1 FROM generate_series(1, 100001) g`,
    );
    await admin.query(`ANALYZE ${schema}.artifact_usage`);
    const { tables } = await store.inspect();
    const sizes = Object.fromEntries(tables.map((table) => [table.name, table]));
    expect(sizes["grants"]).toMatchObject({ rows: 1234, isEstimate: false });
    expect(sizes["artifact_usage"]).toMatchObject({ rows: 100_001, isEstimate: true });
    expect(sizes["artifact_usage"]?.bytes).toBeGreaterThan(1_000_000);
    expect(sizes["tasks"]).toMatchObject({ rows: 0, isEstimate: false });
  });

  test("says that a role cannot migrate which may not create a schema", async () => {
    expect(await open(role).inspect()).toMatchObject({ tablesVersion: 0, canMigrate: false });
    await expect(open(role).migrate()).rejects.toThrow("SQLSTATE 42501");
  });

  test("says that a role cannot migrate which may only use the tables", async () => {
    await createVersion1();
    const { rows } = await admin.query<{ readonly name: string }>(
      "SELECT quote_ident(current_database()) AS name",
    );
    await admin.query(`GRANT CREATE ON DATABASE ${rows[0]?.name} TO ${role}`);
    await admin.query(`GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`);
    await admin.query(
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
    );
    expect(await open(role).inspect()).toMatchObject({ tablesVersion: 1, canMigrate: false });
    await expect(open(role).migrate()).rejects.toThrow("SQLSTATE 42501");
  });
});
