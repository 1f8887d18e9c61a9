import { startPostgresProxy, type PostgresProxy } from "@toolweave/test-support";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";

const url = inject("postgresUrl");

describe.skipIf(url === undefined)("the proxy in front of PostgreSQL", () => {
  const table = "proxy_rows";
  let proxy: PostgresProxy;
  let admin: pg.Client;
  let clients: pg.Client[];

  beforeEach(async () => {
    proxy = await startPostgresProxy(url ?? "", 7);
    clients = [];
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(`DROP TABLE IF EXISTS ${table}`);
    await admin.query(`CREATE TABLE ${table} (value int NOT NULL)`);
  });
  afterEach(async () => {
    await proxy.end();
    await admin.end();
    await Promise.allSettled(clients.map((client) => client.end()));
  });

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: proxy.url });
    client.on("error", () => {});
    clients.push(client);
    await client.connect();
    return client;
  }

  async function rows(): Promise<number[]> {
    const found = await admin.query<{ value: number }>(`SELECT value FROM ${table} ORDER BY value`);
    return found.rows.map(({ value }) => value);
  }

  test("forwards simple and prepared statements, errors and large values", async () => {
    const client = await connect();
    await client.query(`INSERT INTO ${table} VALUES (1)`);
    await client.query({ name: "insert", text: `INSERT INTO ${table} VALUES ($1)`, values: [2] });
    await expect(client.query("SELECT 1 / 0")).rejects.toThrow("division by zero");
    const { rows: long } = await client.query<{ text: string }>(
      "SELECT repeat('x', 1000000) AS text",
    );
    expect(long[0]?.text).toHaveLength(1_000_000);
    expect(await rows()).toEqual([1, 2]);
  });

  test("resets all connections, and accepts new ones", async () => {
    const held = await connect();
    const query = held.query("SELECT pg_sleep(60)");
    void query.catch(() => {});
    expect(proxy.resetAll()).toBe(1);
    await expect(query).rejects.toThrow(/ECONNRESET|terminated/);
    expect(proxy.counts).toMatchObject({ connections: 1, resets: 1 });
    const next = await connect();
    await next.query("SELECT 1");
  });

  test.each([
    { direction: "both", arrived: [] },
    { direction: "toServer", arrived: [] },
    { direction: "toClient", arrived: [1] },
  ] as const)(
    "holds bytes back during a silence ($direction), until it is restored",
    async ({ direction, arrived }) => {
      const client = await connect();
      proxy.silence(direction);
      let isAnswered = false;
      const query = client.query(`INSERT INTO ${table} VALUES (1)`);
      void query.then(() => (isAnswered = true));
      // Only a silence toward the client lets the statement arrive.
      await expect.poll(rows).toEqual(arrived);
      expect(isAnswered).toBe(false);
      proxy.restore();
      await query;
      expect(await rows()).toEqual([1]);
    },
  );

  test("delays bytes both ways, in order", async () => {
    const client = await connect();
    proxy.delay(20);
    const start = performance.now();
    const values = [1, 2, 3];
    for (const value of values) await client.query(`INSERT INTO ${table} VALUES (${value})`);
    // A lower bound does not depend on the load of the machine.
    expect(performance.now() - start).toBeGreaterThanOrEqual(119);
    expect(await rows()).toEqual(values);
  });

  test("cuts a statement or its answer after any number of bytes", async () => {
    const text = `INSERT INTO ${table} VALUES (1)`;
    // A simple query: a type, a length, the text and a zero. CommandComplete `INSERT 0 1` and ReadyForQuery.
    const lengths = { toServer: text.length + 6, toClient: 16 + 6 };
    const cuts = { toServer: [0, 1, 4, 5, 20, lengths.toServer - 1], toClient: [0, 1, 15, 16, 21] };
    let expected = 0;
    for (const direction of ["toServer", "toClient"] as const) {
      for (const bytes of cuts[direction]) {
        const client = await connect();
        proxy.cutAfter(bytes, direction);
        await expect(client.query(text)).rejects.toThrow(/ECONNRESET|terminated|EPIPE/);
        if (direction === "toClient") expected++;
        await expect.poll(rows).toHaveLength(expected);
      }
      const client = await connect();
      proxy.cutAfter(lengths[direction], direction);
      await client.query(text);
      expected++;
      await expect(client.query(text)).rejects.toThrow(/ECONNRESET|terminated|EPIPE/);
      if (direction === "toClient") expected++;
      await expect.poll(rows).toHaveLength(expected);
    }
    expect(proxy.counts.cuts).toBe(13);
  });

  test("loses the answer to an autocommitted statement, whose effect stays", async () => {
    const client = await connect();
    proxy.loseAnswers(1);
    const insert = client.query(`INSERT INTO ${table} VALUES ($1)`, [1]);
    await expect(insert).rejects.toThrow(/ECONNRESET|terminated/);
    expect(await rows()).toEqual([1]);
    expect(proxy.counts).toMatchObject({ committed: 1, lostAnswers: 1 });
  });

  test("loses the answer to a COMMIT, and not those in its transaction, to ROLLBACK and errors", async () => {
    const client = await connect();
    proxy.loseAnswers(1);
    await client.query("BEGIN");
    await client.query(`INSERT INTO ${table} VALUES (1)`);
    await client.query("ROLLBACK");
    await expect(client.query("SELECT 1 / 0")).rejects.toThrow("division by zero");
    await client.query("BEGIN");
    await client.query(`INSERT INTO ${table} VALUES (2)`);
    expect(proxy.counts.committed).toBe(0);
    await expect(client.query("COMMIT")).rejects.toThrow(/ECONNRESET|terminated/);
    expect(await rows()).toEqual([2]);
  });

  test("loses only answers to statements that match, as often as its probability", async () => {
    proxy.loseAnswers(0.5, /INSERT/);
    let failures = 0;
    let client = await connect();
    for (let value = 0; value < 60; value++) {
      await client.query("SELECT 1");
      try {
        await client.query({ name: "insert", text: `INSERT INTO ${table} VALUES (1)` });
      } catch {
        failures++;
        client = await connect();
      }
    }
    expect(failures).toBeGreaterThan(15);
    expect(failures).toBeLessThan(45);
    expect(proxy.counts).toMatchObject({ committed: 120, lostAnswers: failures });
    expect(await rows()).toHaveLength(60);
  });
});
