import { startPostgres } from "@toolweave/test-support/postgres-server";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { testKey } from "./support/database.ts";
import { runIn } from "./support/run-cli.ts";

test.skipIf(inject("postgresUrl") === undefined)(
  "check of a server with safe settings finds no problem",
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    await admin.query("ALTER ROLE postgres SET statement_timeout = '5s'");
    await admin.end();
    const run = runIn(server.url, { TOOLWEAVE_KEY: testKey });
    expect((await run(["db", "migrate"])).code).toBe(0);
    const { code, stdout } = await run(["db", "check"]);
    expect(stdout).toMatch(/^0 problems$/m);
    expect(code).toBe(0);
  },
);
