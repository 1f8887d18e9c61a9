import { describeStore } from "@toolweave/conformance/stores";
import type { AuditRecord } from "@toolweave/core/stores";
import { afterAll, beforeAll, describe } from "vitest";
import { postgresStore } from "../../src/index.ts";
import { testDatabase, type TestDatabase } from "./test-database.ts";

/** A key for tests. */
export const testKey = "a key of the tests, 32 bytes or more";

/** Registers the tests of the stores in the database at `url`, or skips them if it is absent. */
export function describePostgres(
  name: string,
  url: string | undefined,
  adminUrl: string | undefined = url,
): void {
  describe.skipIf(url === undefined)(`${name}`, () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await testDatabase(url ?? "", `contract_${process.pid}`, adminUrl);
    });
    afterAll(() => database.end());
    describeStore(name, async ({ maxPerOwner, ...limits }) => {
      const { maxArtifactBytes, maxArtifactBytesPerOwner = maxArtifactBytes } = limits;
      const counts = maxPerOwner ?? 10_000;
      const clock = await database.reset();
      const { pool, schema, admin } = database;
      return {
        clock,
        open: () =>
          postgresStore({
            pool,
            schema,
            timers: clock,
            key: testKey,
            maxPendingCallsPerOwner: counts,
            maxTasksPerOwner: counts,
            maxMemoriesPerOwner: counts,
            maxSchedulesPerOwner: counts,
            ...limits,
            ...(maxArtifactBytesPerOwner === undefined ? {} : { maxArtifactBytesPerOwner }),
          }),
        async readAudit() {
          const { rows } = await admin.query<{ readonly record: string }>(
            `SELECT record FROM ${schema}.audit ORDER BY seq`,
          );
          return rows.map(({ record }) => JSON.parse(record) as AuditRecord);
        },
      };
    });
  });
}
