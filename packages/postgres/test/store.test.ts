import { randomUUID } from "node:crypto";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import { once } from "node:events";
import { catchToolError } from "@toolweave/conformance/stores";
import { inFullRun } from "@toolweave/test-support";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { migrations } from "../src/database/migrations.ts";
import { postgresStore, type PostgresStore, type PostgresStoreOptions } from "../src/index.ts";
import { testKey } from "./support/describe-postgres.ts";

const url = inject("postgresUrl");

describe("options", () => {
  test.each([
    ["no database", {}],
    ["two databases", { connectionString: "postgres://localhost/x", pool: new pg.Pool() }],
    ["a schema that is no name", { connectionString: "postgres://x/x", schema: 'a"; DROP' }],
    ["a lease of 0", { connectionString: "postgres://x/x", leaseMs: 0 }],
    ["a key that is too short", { connectionString: "postgres://x/x", key: "short" }],
    ["a quota of 0", { connectionString: "postgres://x/x", maxTasksPerOwner: 0 }],
    ["no key", { connectionString: "postgres://x/x", key: [] }],
    ["another database", { connectionString: "mysql://x/x" }],
    ["an unknown name", { connectionString: "postgres://x/x", leaseMS: 1 }],
  ])("%s is refused", async (_, options) => {
    const error = await catchToolError(() => postgresStore(options as PostgresStoreOptions));
    expect(error.code).toBe("invalid_configuration");
  });
});

describe.skipIf(url === undefined)("a store in PostgreSQL", () => {
  const schema = `store_${process.pid}`;
  let admin: pg.Pool;
  beforeAll(() => {
    admin = new pg.Pool({ connectionString: url ?? "", max: 2 });
  });
  afterAll(async () => {
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });

  function open(options: PostgresStoreOptions = {}): PostgresStore {
    const store = postgresStore({ connectionString: url ?? "", schema, ...options });
    onTestFinished(() => store.close());
    return store;
  }

  test("processes that start at the same time create the tables once", async () => {
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    const stores = Array.from({ length: 4 }, () => open());
    await Promise.all(stores.map((store) => store.migrate()));
    const { rows } = await admin.query(
      `SELECT value FROM ${schema}.meta WHERE name = 'schema_version'`,
    );
    expect(rows).toEqual([{ value: String(migrations.length) }]);
  });

  test("tables of version 1 are updated, their rows stay, and a process of that version continues", async () => {
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.query(`CREATE SCHEMA ${schema}`);
    await admin.query(`CREATE TABLE ${schema}.meta (name text PRIMARY KEY, value text NOT NULL)`);
    await admin.query(migrations[0]?.(schema) ?? "");
    await admin.query(`INSERT INTO ${schema}.meta VALUES ('schema_version', '1')`);
    const add = (id: string) =>
      admin.query(
        `SELECT ${schema}.add_task($1, '[null,null]', '[null,null]', 'working', '\\x00', 9e12, 30000, gen_random_uuid(), 9)`,
        [id],
      );
    const change = (id: string, status: string) =>
      admin.query<{ readonly changed: boolean }>(
        `SELECT ${schema}.change_task($1, $2, '\\x00', 9e12, 30000, true, gen_random_uuid()) AS changed`,
        [id, status],
      );
    await add("before");
    const { tasks } = open({ key: testKey });
    expect(await tasks.requestCancel?.("before", "ada")).toBe(true);
    await add("after");
    for (const id of ["before", "after"]) {
      expect((await change(id, "working")).rows).toEqual([{ changed: true }]);
    }
    const { rows } = await admin.query(
      `SELECT id, cancel_requested_by FROM ${schema}.tasks ORDER BY seq`,
    );
    expect(rows).toEqual([
      { id: "before", cancel_requested_by: null },
      { id: "after", cancel_requested_by: null },
    ]);
    expect((await admin.query(`SELECT ${schema}.sweep(10) AS rows`)).rows).toEqual([{ rows: "0" }]);
  });

  test("a claim that arrives after it was withdrawn is not valid, and another one is", async () => {
    const { ledger } = open({ key: testKey });
    const ids = { runId: randomUUID(), callId: "c" };
    const call = { ...ids, tool: "pay", specHash: "", argumentsHash: "" };
    expect(await ledger.end({ ...ids, token: "1" }, { status: "released" })).toBe(false);
    expect(await ledger.begin({ ...call, token: "1" })).toEqual({ status: "unknown" });
    expect(await ledger.begin({ ...call, token: "2" })).toEqual({ status: "begun" });
    expect(await ledger.begin({ ...call, token: "3" })).toEqual({ status: "running" });
  });

  test("problems are the settings of the server that weaken the guarantees, and a missing key", async () => {
    const problems = await open().problems();
    expect(problems.map((problem) => problem.split(/[ :]/)[0])).toEqual([
      "fsync",
      "full_page_writes",
      "synchronous_commit",
      "The",
    ]);
    expect(await open({ key: testKey }).problems()).toHaveLength(3);
  });

  test("many processes never exceed a rate together, and use all of it", async () => {
    const key = randomUUID();
    const stores = Array.from({ length: 4 }, () => open());
    const request = { key, amount: 1, limit: 25, windowMs: 3_600_000 };
    const taken = await Promise.all(
      Array.from({ length: inFullRun(2_000, 200) }, async (_, n) => {
        const { rateLimits } = stores[n % stores.length] as PostgresStore;
        const reservation = await rateLimits.reserve([request]);
        if (reservation.granted) await rateLimits.commit(reservation.id);
        return reservation.granted;
      }),
    );
    expect(taken.filter(Boolean)).toHaveLength(25);
  });

  test("reservations of several keys in any order do not block each other", async () => {
    const prefix = randomUUID();
    const stores = Array.from({ length: 4 }, () => open());
    const keys = ["a", "b", "c"].map((name) => `${prefix}:${name}`);
    const granted = await Promise.all(
      Array.from({ length: 120 }, async (_, n) => {
        const wanted = keys.filter((_key, at) => at !== n % 4);
        const requests = (n % 2 === 0 ? wanted : wanted.toReversed()).map((key) => ({
          key,
          amount: 1,
          limit: 40,
          windowMs: 3_600_000,
        }));
        const reservation = await stores[n % 4]!.rateLimits.reserve(requests);
        if (!reservation.granted) return [];
        if (n % 3 === 0) await stores[n % 4]!.rateLimits.commit(reservation.id);
        return wanted;
      }),
    );
    const used = keys.map((key) => granted.flat().filter((one) => one === key).length);
    expect(Math.max(...used)).toBe(40);
  });

  test("a new key seals, the old one still opens, and without it a row is refused", async () => {
    const name = { source: "shop", scheme: randomUUID() };
    const secret = { type: "secret", secret: "fixture-secret-1" } as const;
    const newKey = "another key of the tests, 32 bytes or more";
    await open({ key: testKey }).credentials.set(name, secret);
    const rotating = open({ key: [newKey, testKey] });
    expect(await rotating.credentials.get(name)).toEqual(secret);
    expect(
      (await catchToolError(() => open({ key: newKey }).credentials.get(name))).message,
    ).toMatch(/sealed with a key that this store does not have/);
    await rotating.credentials.set(name, secret);
    expect(await open({ key: newKey }).credentials.get(name)).toEqual(secret);
  });

  test("a credential that was moved to another row does not open", async () => {
    const { credentials } = open({ key: testKey });
    const [one, other] = [randomUUID(), randomUUID()].map((scheme) => ({ source: "s", scheme }));
    await credentials.set(one!, { type: "secret", secret: "fixture-secret-2" });
    await credentials.set(other!, { type: "secret", secret: "fixture-secret-3" });
    await admin.query(
      `UPDATE ${schema}.credentials SET sealed = (SELECT sealed FROM ${schema}.credentials
         WHERE name LIKE '%' || $1 || '%') WHERE name LIKE '%' || $2 || '%'`,
      [one!.scheme, other!.scheme],
    );
    expect(await catchToolError(() => credentials.get(other!))).toMatchObject({
      code: "store_unavailable",
      retryable: false,
    });
  });

  test("an outcome is sealed, and one that was moved to another call does not open", async () => {
    const { ledger } = open({ key: testKey });
    const run = randomUUID();
    const call = (callId: string, token: string) => ({
      ...{ runId: run, callId, token },
      ...{ tool: "pay", specHash: "", argumentsHash: "" },
    });
    for (const id of ["a", "b"]) {
      await ledger.begin(call(id, id));
      await ledger.end(call(id, id), { status: "ended", outcome: `fixture-secret-${id}` });
    }
    const { rows } = await admin.query<{ readonly dump: string }>(
      `SELECT string_agg(encode(outcome, 'escape'), '') AS dump FROM ${schema}.ledger`,
    );
    expect(rows[0]?.dump).not.toMatch(/fixture-secret/);
    await admin.query(
      `UPDATE ${schema}.ledger SET outcome = (SELECT outcome FROM ${schema}.ledger
         WHERE run_id = $1 AND call_id = 'a') WHERE run_id = $1 AND call_id = 'b'`,
      [run],
    );
    expect(await ledger.begin(call("a", "c"))).toMatchObject({ outcome: "fixture-secret-a" });
    expect(await catchToolError(() => ledger.begin(call("b", "c")))).toMatchObject({
      code: "store_unavailable",
      retryable: false,
    });
  });

  test("no row has a credential or the result of a task in clear", async () => {
    const store = open({ key: testKey });
    const id = randomUUID();
    await store.credentials.set(
      { source: "s", scheme: id },
      { type: "secret", secret: "fixture-secret-4" },
    );
    await store.tasks.add({
      id,
      owner: "[null,null]",
      runId: "r",
      callId: "c",
      tool: "t",
      status: "working",
      createdAt: 0,
      updatedAt: 0,
      expiresAt: 9e12,
    });
    const error = { code: "upstream", message: "fixture-secret-5" } as const;
    await store.tasks.change(id, { status: "failed", updatedAt: 1, expiresAt: 9e12, error });
    expect(await store.tasks.get(id)).toMatchObject({ error });
    const { rows } = await admin.query<{ readonly dump: string }>(
      `SELECT (SELECT coalesce(string_agg(encode(sealed, 'escape'), ''), '') FROM ${schema}.credentials)
         || (SELECT coalesce(string_agg(encode(task || change, 'escape'), ''), '') FROM ${schema}.tasks)
         AS dump`,
    );
    expect(rows[0]?.dump).not.toMatch(/fixture-secret/);
  });

  test("without a key credentials are refused, and the others work", async () => {
    const store = open();
    const error = await catchToolError(() => store.credentials.get({ source: "s", scheme: "o" }));
    expect(error.code).toBe("invalid_configuration");
    expect(await store.grants.list()).toEqual([]);
  });

  test("a closed store fails, and does not end the pool of the host", async () => {
    const store = postgresStore({ pool: admin, schema });
    await store.migrate();
    store.close();
    store.close();
    expect(await catchToolError(() => store.grants.list())).toMatchObject({
      code: "store_unavailable",
      retryable: false,
      message: "The PostgreSQL store is closed.",
    });
    expect((await admin.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });

  test("expired rows are removed by prune, a limited number at a time", async () => {
    const store = open();
    await admin.query(
      `INSERT INTO ${schema}.write_answers SELECT gen_random_uuid(), 'true', 0 FROM generate_series(1, 30)`,
    );
    expect(await store.prune(20)).toBe(20);
    expect(await store.prune(20)).toBe(10);
  });

  test("a process that uses the store removes expired rows once in a minute", async () => {
    const store = open();
    await admin.query(`INSERT INTO ${schema}.write_answers VALUES (gen_random_uuid(), 'true', 0)`);
    const rows = async () =>
      (await admin.query(`SELECT FROM ${schema}.write_answers WHERE at = 0`)).rows.length;
    await store.grants.list();
    expect(await rows()).toBe(1);
    const later = performance.now() + 60_000;
    const now = vi.spyOn(performance, "now").mockReturnValue(later);
    onTestFinished(() => now.mockRestore());
    await store.grants.list();
    while ((await rows()) > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test("a store continues after its connections were ended, and fails while there is no server", async () => {
    const target = new URL(url ?? "");
    const sockets = new Set<Socket>();
    const proxy = createServer((socket) => {
      const upstream = connectSocket(Number(target.port), target.hostname);
      for (const one of [socket, upstream]) {
        sockets.add(one);
        one.on("error", () => {});
        one.on("close", () => {
          socket.destroy();
          upstream.destroy();
        });
      }
      socket.pipe(upstream).pipe(socket);
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const address = proxy.address() as { readonly port: number };
    const store = open({ connectionString: (url ?? "").replace(target.port, `${address.port}`) });
    expect(await store.grants.list()).toEqual([]);
    for (const socket of sockets) socket.destroy();
    expect(await store.grants.list()).toEqual([]);
    proxy.close();
    for (const socket of sockets) socket.destroy();
    const error = await catchToolError(() => store.grants.list());
    expect(error).toMatchObject({ code: "store_unavailable", retryable: true });
    expect(error.message).toMatch(
      /^The PostgreSQL store cannot be reached: .* \(ECONNREFUSED\)\.$/,
    );
  });
});
