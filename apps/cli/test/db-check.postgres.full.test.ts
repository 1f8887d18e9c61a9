import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "@toolweave/test-support/postgres-server";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
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
    await server.restart("SIGINT");
    const { code, stdout } = await run(["db", "check"]);
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
