import { postgresStore } from "@toolweave/postgres";
import pg from "pg";
import { describe, inject, onTestFinished } from "vitest";
import { describeApprovals } from "../support/describe-approvals.ts";

const url = inject("postgresUrl");

// Skipped where PostgreSQL is not installed.
describe.skipIf(url === undefined)("two connections", () => {
  let count = 0;
  describeApprovals("PostgreSQL", async () => {
    const connectionString = url ?? "";
    const schema = `console_${process.pid}_${count++}`;
    const stores = [1, 2].map(() => postgresStore({ connectionString, schema }));
    onTestFinished(async () => {
      await Promise.all(stores.map((store) => store.close()));
      const client = new pg.Client({ connectionString });
      await client.connect();
      await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await client.end();
    });
    return stores as never;
  });
});
