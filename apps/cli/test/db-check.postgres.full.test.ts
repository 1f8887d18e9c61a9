import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "@toolweave/test-support/postgres-server";
import pg from "pg";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { testKey } from "./support/database.ts";
import { runIn } from "./support/run-cli.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Of a pgbouncer in transaction mode; absent: there is none. */
    pgbouncerUrl: string | undefined;
  }
}

const keys = { TOOLWEAVE_KEY: testKey };

test.skipIf(inject("postgresUrl") === undefined)(
  "check of a server with safe settings finds no problem",
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const run = runIn(server.url, keys);
    expect((await run(["db", "migrate"])).code).toBe(0);
    const { code, stdout } = await run(["db", "check"]);
    expect(stdout).toMatch(/^0 problems$/m);
    expect(code).toBe(0);
  },
);

test.skipIf(inject("postgresUrl") === undefined)(
  "check of a read replica prints its tables, and says to connect to the primary",
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const run = runIn(server.url, keys);
    expect((await run(["db", "migrate"])).code).toBe(0);
    const signal = join(server.data, "standby.signal");
    writeFileSync(signal, "");
    const { uid, gid } = server.account;
    if (uid !== undefined) chownSync(signal, uid, gid ?? uid);
    // It ends when the server accepts writes.
    const restarted = server.restart("SIGINT");
    const standby = await connectTo(server.url);
    const { code, stdout } = await run(["db", "check"]);
    await standby.query("SELECT pg_promote()");
    await standby.end();
    await restarted;
    expect(code).toBe(1);
    expect(stdout).toMatch(/^pending_calls +0 /m);
    expect(stdout).toContain("problem: The server is a read replica, which accepts no writes");
  },
);

test.skipIf(inject("pgbouncerUrl") === undefined)(
  "behind a pooler that passes no deadline on, check says how to set it",
  async () => {
    const run = runIn(inject("pgbouncerUrl") ?? "", keys);
    onTestFinished(async () => {
      const admin = new pg.Client({ connectionString: inject("postgresUrl") ?? "" });
      await admin.connect();
      await admin.query("DROP SCHEMA toolweave CASCADE");
      await admin.end();
    });
    expect((await run(["db", "migrate"])).code).toBe(0);
    expect((await run(["db", "prune"])).code).toBe(0);
    const { code, stdout } = await run(["db", "check"]);
    expect(code).toBe(1);
    expect(stdout).toContain("problem: statement_timeout is 0: set it for the role");
  },
);

/** Waits until the server accepts connections as a standby. */
function connectTo(url: string): Promise<pg.Client> {
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    const { rows } = await client.query("SELECT pg_is_in_recovery() AS standby");
    if (rows[0]?.standby === true) return client;
    await client.end();
    throw new Error("The server has not been restarted yet.");
  };
  return vi.waitFor(connect, 30_000);
}
